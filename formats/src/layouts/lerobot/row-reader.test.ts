import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import type { ColumnFeature } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import { write } from '../../writers/lerobot-v3/writer.ts'
import { openDataset } from '../index.ts'

const action: ColumnFeature = { kind: 'column', name: 'action', dtype: 'float32', shape: [2], names: null }
const length = 5
const episodes = [0, 1].map((seed) => ({
  length,
  tasks: ['reach'],
  columns: new Map([['action', Float32Array.from({ length: 2 * length }, (_, at) => seed + at)]]),
}))

/** Node closes what nobody closed when it is collected, with a warning that a later version makes an error. */
const listOpen = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

test.runIf(process.platform === 'linux')('a dataset that is closed while it is read leaves no file open', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'nmp-rows-')), 'set')
  await write(createMemoryDataset([action], episodes), folder)
  const dataset = await openDataset(await openFolder(folder))
  const rows = dataset.getEpisode(0).readBlocks()[Symbol.asyncIterator]()
  expect((await rows.next()).value.frameCount).toBe(length)
  expect(listOpen(folder), 'the scan goes on to the next episode').toHaveLength(1)
  await dataset.close()
  expect((await rows.next()).done).toBe(true)
  expect(listOpen(folder)).toEqual([])
  await expect(Array.fromAsync(dataset.getEpisode(1).readBlocks())).rejects.toThrow('the dataset was closed')
})
