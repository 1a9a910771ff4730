import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { write } from '@nmp/formats/lerobot/writer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryDataset } from '../../../../formats/test/memory-dataset.ts'
import { fingerprintsFolder, writeFingerprints } from '../../datasets/fingerprints.ts'
import { beginFingerprints } from './fingerprints-beside.ts'

const [episodes, length] = [4, 3_000]
const { signal } = new AbortController()
let folder: string
let datasetFolder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-fingerprints-'))
  datasetFolder = join(folder, 'dataset')
  const feature = { name: 'action', kind: 'column', dtype: 'float32', shape: [2], names: null } as const
  const values = (episode: number) => Float32Array.from({ length: 2 * length }, (_, at) => Math.sin(at + 7 * episode))
  const source = createMemoryDataset(
    [feature],
    Array.from({ length: episodes }, (_, episode) => ({
      length,
      tasks: ['push'],
      columns: new Map([['action', values(episode)]]),
    })),
    length,
  )
  await write(source, datasetFolder, {})
})
afterAll(() => rm(folder, { recursive: true }))

const open = async () => openDataset(await openFolder(datasetFolder))

test('those of a large dataset, which a thread takes, are the same bytes', async () => {
  await using dataset = await open()
  const [beside, here] = ['beside', 'here'].map((name) => join(folder, name, fingerprintsFolder)) as [string, string]
  const files = await writeFingerprints(dataset, here, { signal })
  await using begun = beginFingerprints(dataset, { datasetFolder, folder: beside }, signal)
  expect(await begun.finish()).toEqual(files)
  expect(files.map(({ sizeBytes }) => sizeBytes > 0)).toEqual([true, true])
  for (const { path } of files) expect(await readFile(join(beside, path))).toEqual(await readFile(join(here, path)))
})

test('none where they cannot be taken, and nothing is left of them', async () => {
  await using dataset = await open()
  const none = join(folder, 'none')
  await using begun = beginFingerprints(
    dataset,
    { datasetFolder: join(folder, 'no-such-folder'), folder: none },
    signal,
  )
  expect(await begun.finish()).toEqual([])
  await expect(access(none)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('whoever stops the import is not kept waiting', async () => {
  await using dataset = await open()
  const stop = new AbortController()
  await using begun = beginFingerprints(dataset, { datasetFolder, folder: join(folder, 'stopped') }, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(begun.finish()).rejects.toThrow('stopped')
})
