import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { File, FS, ready } from 'h5wasm'
import { expect, test } from 'vitest'
import { isColumn } from '../src/feature.ts'
import { openFolder } from '../src/file-tree.ts'
import { isDropping } from '../src/finding.ts'
import { openDataset } from '../src/layouts/index.ts'

type Rows = (length: number) => { data: Uint8Array | Float64Array | string[]; shape: number[]; dtype?: string }

/** Two episodes as minari stores them, of other lengths: one more observation than actions. */
async function readMinari(observations: Rows, actions: Rows) {
  await ready
  const name = `minari-${Math.random()}.hdf5`
  const file = new File(name, 'w')
  for (const [index, length] of [6, 4].entries()) {
    const episode = file.create_group(`episode_${index}`)
    episode.create_dataset({ name: 'observations', ...observations(length + 1) })
    episode.create_dataset({ name: 'actions', ...actions(length) })
    for (const flag of ['rewards', 'terminations', 'truncations'])
      episode.create_dataset({ name: flag, data: new Float64Array(length), shape: [length] })
  }
  file.close()
  const folder = await mkdtemp(join(tmpdir(), 'nmp-minari-'))
  try {
    await writeFile(join(folder, 'main_data.hdf5'), FS?.readFile(name) ?? [])
    await using dataset = await openDataset(await openFolder(folder))
    const columns = dataset.features.filter(isColumn)
    return {
      shapes: new Map(columns.map((column) => [column.name, column.shape])),
      losses: dataset.findings.filter(({ rule }) => isDropping(rule)).map(({ sentence }) => sentence),
    }
  } finally {
    FS?.unlink(name)
    await rm(folder, { recursive: true })
  }
}

const numbers =
  (...row: number[]): Rows =>
  (length) => ({
    data: Float64Array.from({ length: length * row.reduce((a, b) => a * b, 1) }, (_, at) => Math.sin(at)),
    shape: [length, ...row],
  })

test('observations that are no picture are the state: bytes of a memory, and numbers in rows and columns', async () => {
  const memory: Rows = (length) => ({ data: new Uint8Array(length * 128), shape: [length, 128] })
  const read = await readMinari(memory, numbers(3))
  expect([read.shapes.get('observation.state'), read.shapes.get('action'), read.losses]).toEqual([[128], [3], []])
  expect((await readMinari(numbers(5, 3), numbers(2))).shapes.get('observation.state')).toEqual([15])
})

test('observations and actions that cannot be held are a loss each, said once', async () => {
  const words: Rows = (length) => ({ data: Array(length).fill('go left'), shape: [length] })
  const { shapes, losses } = await readMinari(words, words)
  expect([shapes.has('observation.state'), shapes.has('action')]).toEqual([false, false])
  expect(losses.toSorted()).toEqual([
    expect.stringMatching(/^actions is left out: a column cannot hold /),
    expect.stringMatching(/^observations is left out: /),
  ])
})
