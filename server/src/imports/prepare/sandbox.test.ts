import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { probeSandbox } from '@nmp/formats/child/probe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testWhere } from '../../../../fixtures/test-where.ts'
import { HostileWorld } from '../../../../formats/test/hostile.ts'
import { sandboxOfPushReader } from '../../hub/push/missing-files.ts'
import { openFolderStorage } from '../../storage/folder/folder.ts'
import { layOutFiles } from '../../storage/local-tree.ts'
import { locateMade } from './made-files.ts'
import { sandboxOfPreparer } from './prepare-process.ts'

const isWhole = (await probeSandbox()).length === 0

let world: HostileWorld
beforeAll(async () => {
  world = await HostileWorld.open()
  await mkdir(join(world.scene.ownFolder, 'tmp'))
})
afterAll(() => world[Symbol.asyncDispose]())

const listDone = (outcome: Record<string, string>): string[] =>
  Object.keys(outcome).filter((name) => outcome[name] === 'done')

testWhere(isWhole)(
  'hostile code in the process that prepares an import, and unpacks archives, gets nothing',
  async () => {
    const { outcome, own } = await world.attack(sandboxOfPreparer([world.scene.ownFolder]), true)
    expect(listDone(outcome)).toEqual([])
    expect(outcome).toHaveProperty(['read the secret key by a child'])
    expect(own.source).toBe('rows')
  },
)

testWhere(isWhole)('hostile code in the process that reads the Parquet of a push gets nothing', async () => {
  const { outcome, own } = await world.attack(sandboxOfPushReader(world.scene.ownFolder))
  expect(listDone(outcome)).toEqual([])
  expect(own.source).toBe('rows')
})

test('a stored file that is laid out cannot be opened for writing by its owner', async () => {
  const { dataFolder } = world.scene
  const folder = join(dataFolder, 'objects')
  const storage = await openFolderStorage({ kind: 'folder', folder, signingKey: 'a test key', publicUrl: 'http://a' })
  const bytes = async function* () {
    yield Buffer.from('stored')
  }
  await storage.putObject('blobs/one', bytes())
  const target = join(dataFolder, 'laid-out')
  await layOutFiles(storage, [{ path: 'data/one.parquet', storeKey: 'blobs/one' }], target)
  expect((await stat(join(target, 'data/one.parquet'))).mode & 0o222).toBe(0)
  expect(await readFile((await storage.locateObject('blobs/one')) ?? '', 'utf8')).toBe('stored')
  await storage.close()
})

test('of what a process says it has made, only its own files are taken', async () => {
  const { ownFolder, secret } = world.scene
  const made = join(ownFolder, 'dataset')
  await mkdir(join(made, 'data'), { recursive: true })
  await writeFile(join(made, 'data', 'rows.parquet'), 'rows')
  await symlink(secret, join(made, 'link.parquet'))
  await symlink(join(world.scene.otherFolder), join(made, 'folder'))
  expect(await locateMade(made, 'data/rows.parquet')).toBe(join(made, 'data', 'rows.parquet'))
  for (const path of ['link.parquet', 'folder/frames.parquet', '../../../secret.key', 'data', '.']) {
    await expect(locateMade(made, path)).rejects.toMatchObject({ code: 'source_file_crashes_parser' })
  }
})
