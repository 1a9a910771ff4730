import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createHdf5File } from '../../containers/hdf5/hdf5-writer.ts'
import type { Dataset } from '../../dataset.ts'
import { arrayTypes, countValues, isCamera } from '../../feature.ts'
import { Findings } from '../../finding.ts'
import { DecodedCameras } from '../decoded-cameras.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { writeEpisodes } from '../episode-loop.ts'
import { estimateFrames } from '../estimate-parts.ts'
import { verifyByReading } from '../read-back.ts'
import { listSidecarLosses } from '../sidecar-losses.ts'
import { type OptionsSchema, readTargetOptions, type TargetSettings } from '../target-options.ts'
import { openWorkbench } from '../workbench.ts'
import type { Loss, TargetEstimate, TargetFacts, WriteOptions, WriteReport, Writer } from '../writer.ts'
import { type DemoArray, describeArrays, isObserved, listArrayLosses, planArrays } from './arrays.ts'
import { attribute, writeDemo } from './demo.ts'
import { listMasks, nameDemo } from './masks.ts'

const name = 'robomimic'
const fileName = 'demo.hdf5'
/** `EnvType.REAL_TYPE` of robomimic's forks for robots: there is no simulator that could be made from it. */
const realEnvironment = 4
/** Of groups, headers and attributes. */
const demoBytes = 12_000
/** What deflating leaves of decoded video of 320x240. */
const gzipShare = 0.56

const options: OptionsSchema = {
  actions: { type: 'string', default: 'action', role: 'action', description: 'The feature that becomes actions.' },
  next_obs: {
    type: 'boolean',
    default: true,
    description:
      'Observations of the next step beside those of each: offline reinforcement learning reads them, behaviour cloning does not. The file is twice as large with them.',
  },
  compression: {
    type: 'string',
    enum: ['none', 'gzip'],
    default: 'none',
    description: 'gzip: a smaller file that takes longer to write and to read at random.',
  },
  valid_percent: {
    type: 'integer',
    minimum: 0,
    maximum: 90,
    default: 0,
    description:
      'Draws that many percent of the demos as mask/valid and the others as mask/train, instead of the splits of these names.',
  },
}

/** One HDF5 file with a group for every episode. */
export const robomimic: Writer = {
  name,
  artifactKey: name,
  title: 'robomimic',
  readers: "robomimic's SequenceDataset, and whatever reads its HDF5: one file, pictures as pixels.",
  options,
  listLosses: listArrayLosses,
  listOtherLosses: (contents) => [...listTaskLosses(contents.severalTasks), ...listSidecarLosses(contents)],
  estimate,
  verify: verifyByReading,
  decodes: () => 'pixels',
  write,
}

async function write(
  dataset: Dataset,
  folder: string,
  { signal, onProgress, onFile, codec, settings = readTargetOptions(robomimic, {}, dataset.roles) }: WriteOptions = {},
): Promise<WriteReport> {
  await requireEmptyFolder(folder)
  const arrays = planArrays(dataset.features, settings, dataset.roles)
  const plan = { arrays, hasNextObs: settings.next_obs === true, isCompressed: settings.compression === 'gzip' }
  await using workbench = await openWorkbench(folder, { ...(codec && { codec }), ...(signal && { signal }) })
  const findings = new Findings()
  const splits: (readonly string[])[] = []
  let severalTasks = 0
  const file = createHdf5File(join(folder, fileName), signal)
  try {
    await using cameras = new DecodedCameras(workbench, { signal, isMemoryReused: true })
    await file.write([{ step: { do: 'group', path: '/data' } }])
    const counts = await writeEpisodes(
      dataset,
      folder,
      findings,
      { ...(signal && { signal }), ...(onProgress && { onProgress }) },
      {
        write: async (episode, { episodeIndex }) => {
          await file.mark()
          await writeDemo(`/data/${nameDemo(episodeIndex)}`, episode, plan, { file, cameras, signal })
          splits.push(episode.splits)
          if (episode.tasks.length > 1) severalTasks++
        },
        drop: () => file.rewind(),
      },
    )
    const masks = listMasks(splits, Number(settings.valid_percent))
    await file.write([
      attribute('/data', 'total', counts.frameCount),
      attribute('/data', 'env_args', JSON.stringify(describeEnvironment(dataset))),
      attribute('/data', 'lerobot_features', JSON.stringify(describeArrays(arrays))),
      ...(masks.size > 0 ? [{ step: { do: 'group', path: '/mask' } } as const] : []),
      ...[...masks].map(
        ([split, texts]) => ({ step: { do: 'texts', path: `/mask/${nameMask(split)}`, texts } }) as const,
      ),
    ])
    const written = { path: fileName, sizeBytes: await file.finish() }
    onFile?.(written)
    const losses = [
      ...listArrayLosses(dataset.features),
      ...listTaskLosses(severalTasks),
      ...listSidecarLosses(dataset),
    ]
    return { ...counts, files: [written], findings: [...dataset.findings, ...findings.list], losses }
  } catch (error) {
    await file.abandon()
    await rm(join(folder, fileName), { force: true })
    throw error
  }
}

/** The rate and the robot have no other place. */
const describeEnvironment = ({ fps, robotType, stated }: Dataset) => ({
  env_name: stated?.workName ?? robotType ?? 'recorded',
  type: realEnvironment,
  env_kwargs: { control_freq: fps, ...(robotType !== null && { robots: robotType }) },
})

const nameMask = (split: string): string => split.replaceAll('/', '_')

const listTaskLosses = (episodeCount: number): Loss[] =>
  episodeCount === 0
    ? []
    : [{ feature: 'task', reason: `A demo has one text, the first; ${episodeCount} episodes have several.` }]

function estimate(facts: TargetFacts, settings: TargetSettings): TargetEstimate {
  const { features, roles, episodeCount, frameCount } = facts
  const hasActions = features.some((feature) => feature.name === settings.actions)
  if (!hasActions) return { sizeBytes: 0, fileCount: 1 }
  const { columns, cameras } = planArrays(features, settings, roles)
  const isCompressed = settings.compression === 'gzip'
  const countBytes = (array: DemoArray): number => {
    const { feature, rowShape, dtype } = array
    const bytes = countValues(rowShape) * arrayTypes[dtype].BYTES_PER_ELEMENT
    const written =
      isCamera(feature) && isCompressed
        ? estimateFrames(facts, feature, { as: 'gzip' }, (bytes * gzipShare) / (feature.width * feature.height))
        : frameCount * bytes
    return settings.next_obs === true && isObserved(array) ? 2 * written : written
  }
  const arraysBytes = [...columns, ...cameras].reduce((sum, array) => sum + countBytes(array), 0)
  return { sizeBytes: Math.round(arraysBytes + episodeCount * demoBytes), fileCount: 1 }
}
