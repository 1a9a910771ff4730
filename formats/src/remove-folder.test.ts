import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from './remove-folder.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'nmp-remove-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

test('a folder goes with all that is below it, and nothing that links in it lead to', async () => {
  const [kept, gone] = [join(root, 'kept'), join(root, 'gone')]
  await mkdir(join(gone, 'a/b/c'), { recursive: true })
  await mkdir(kept)
  await writeFile(join(kept, 'file'), 'kept')
  await symlink(kept, join(gone, 'a/folder'))
  await symlink(join(kept, 'file'), join(gone, 'a/b/file'))
  await symlink('nowhere', join(gone, 'a/b/c/broken'))
  for (let index = 0; index < 200; index++) await writeFile(join(gone, 'a/b', String(index)), '')
  await removeFolder(gone)
  expect(await readdir(root)).toEqual(['kept'])
  expect(await readdir(kept)).toEqual(['file'])
})

test('so does a file, and what is not there is no fault', async () => {
  await writeFile(join(root, 'file'), '')
  await removeFolder(join(root, 'file'))
  await removeFolder(join(root, 'none/at/all'))
  expect(await readdir(root)).toEqual([])
})

test('few files are asked for at a time, however many there are', async () => {
  for (let index = 0; index < 2000; index++) await writeFile(join(root, String(index)), '')
  const countOperations = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq')).length
  let [most, isDone] = [0, false]
  const removing = removeFolder(root).finally(() => {
    isDone = true
  })
  for (; !isDone; await setImmediate()) most = Math.max(most, countOperations())
  await removing
  expect(most).toBeLessThan(200)
})
