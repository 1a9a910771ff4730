import type { Hdf5Write, Hdf5Writer } from '../../containers/hdf5/hdf5-writer.ts'
import type { Block, Episode } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { arrayTypes, countValues, type NumericArray } from '../../feature.ts'
import { type DecodedCameras, writeThenPictures } from '../decoded-cameras.ts'
import { type DemoArray, type DemoArrays, isObserved } from './arrays.ts'

export interface DemoPlan {
  readonly arrays: DemoArrays
  readonly hasNextObs: boolean
  readonly isCompressed: boolean
}

export interface DemoTools {
  readonly file: Hdf5Writer
  readonly cameras: DecodedCameras
  readonly signal: AbortSignal | undefined
}

/** A chunk of numbers that is deflated as one. */
const chunkBytes = 256 * 1024

/** `data/demo_i` of one episode. Frame after frame nothing is held but a block of rows and one of pictures for each camera. */
export async function writeDemo(group: string, episode: Episode, plan: DemoPlan, tools: DemoTools): Promise<void> {
  const { columns, cameras } = plan.arrays
  const arrays = [...columns, ...cameras]
  const added = ['rewards', 'dones'].filter((path) => !arrays.some((array) => array.path === path))
  await tools.file.write([
    ...createGroups(group, plan, arrays),
    ...arrays.flatMap((array) => createArray(group, array, episode.length, plan)),
    ...added.flatMap((path) => addSingle(group, path, episode.length)),
    attribute(group, 'num_samples', episode.length),
    attribute(group, 'ep_meta', JSON.stringify({ lang: episode.tasks[0] ?? '' })),
  ])
  await writeThenPictures(
    writeColumns(group, episode, plan, tools),
    tools.cameras.readAll(episode, cameras),
    (read) => {
      const { startFrame, frameCount, pixels } = read.block
      const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength)
      return tools.file.write(putRows(group, read.camera, { startFrame, frameCount, bytes }, episode.length, plan))
    },
  )
}

async function writeColumns(group: string, episode: Episode, plan: DemoPlan, { file, signal }: DemoTools) {
  const { columns } = plan.arrays
  const names = columns.map(({ feature }) => feature.name)
  let rowCount = 0
  for await (const block of episode.readBlocks({ columns: names, ...(signal && { signal }) })) {
    const steps = columns.flatMap((array) => {
      const bytes = takeBytes(array, block)
      return putRows(group, array, { ...block, bytes }, episode.length, plan)
    })
    await file.write(steps)
    rowCount += block.frameCount
  }
  if (rowCount !== episode.length)
    throw new FormatError('episode_unreadable', `it has ${rowCount} rows instead of ${episode.length}.`)
}

function takeBytes({ feature, dtype }: DemoArray, block: Block): Uint8Array {
  const values = block.columns.get(feature.name) as NumericArray
  const isStored = values.BYTES_PER_ELEMENT === arrayTypes[dtype].BYTES_PER_ELEMENT
  const stored = isStored ? values : BigInt64Array.from(values as Uint8Array, BigInt)
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength)
}

const createGroups = (group: string, { hasNextObs }: DemoPlan, arrays: readonly DemoArray[]): Hdf5Write[] => {
  const paths = [group, `${group}/obs`, ...(hasNextObs && arrays.some(isObserved) ? [`${group}/next_obs`] : [])]
  return paths.map((path) => ({ step: { do: 'group', path } }))
}

function createArray(group: string, array: DemoArray, length: number, plan: DemoPlan): Hdf5Write[] {
  const { dtype, rowShape } = array
  const rowBytes = countValues(rowShape) * arrayTypes[dtype].BYTES_PER_ELEMENT
  const chunkRows = Math.min(length, Math.max(1, Math.floor(chunkBytes / Math.max(1, rowBytes))))
  const isChunked = plan.isCompressed && rowBytes > 0
  return listPaths(group, array, plan).map((path) => ({
    step: { do: 'array', path, dtype, shape: [length, ...rowShape], ...(isChunked && { chunkRows }) },
  }))
}

const nameNext = (group: string, path: string) => `${group}/next_${path}`

const listPaths = (group: string, array: DemoArray, { hasNextObs }: DemoPlan): string[] => [
  `${group}/${array.path}`,
  ...(hasNextObs && isObserved(array) ? [nameNext(group, array.path)] : []),
]

interface Rows {
  readonly startFrame: number
  readonly frameCount: number
  readonly bytes: Uint8Array
}

/** Rows at their place; of what is observed also as what was observed one step later. After the last step that is the last once more. */
function putRows(group: string, array: DemoArray, rows: Rows, length: number, { hasNextObs }: DemoPlan): Hdf5Write[] {
  const { startFrame: start, frameCount: count, bytes } = rows
  const step = { do: 'rows', path: `${group}/${array.path}`, start, count } as const
  if (!hasNextObs || !isObserved(array)) return [{ step, bytes }]
  const path = nameNext(group, array.path)
  const from = start === 0 ? 1 : 0
  const again = [
    ...(count > from ? [{ path, from, start: start + from - 1, count: count - from }] : []),
    ...(start + count === length ? [{ path, from: count - 1, start: length - 1, count: 1 }] : []),
  ]
  return [{ step: { ...step, again }, bytes }]
}

/** No reward is known: zeros; a demo is done at its end. robomimic reads none without both. */
function addSingle(group: string, path: string, length: number): Hdf5Write[] {
  const isReward = path === 'rewards'
  const values = isReward ? new Float32Array(length) : new BigInt64Array(length)
  if (!isReward) values[length - 1] = 1n
  const full = `${group}/${path}`
  return [
    { step: { do: 'array', path: full, dtype: isReward ? 'float32' : 'int64', shape: [length] } },
    { step: { do: 'rows', path: full, start: 0, count: length }, bytes: new Uint8Array(values.buffer) },
  ]
}

export const attribute = (path: string, name: string, value: string | number): Hdf5Write => ({
  step: { do: 'attribute', path, name, value },
})
