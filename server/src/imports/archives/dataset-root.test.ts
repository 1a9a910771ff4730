import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findDatasetRoot } from './expand.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-root-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = async (name: string): Promise<void> => {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), '')
}

describe('where the dataset begins', () => {
  test('at its meta/info.json, however deep, or at the top', async () => {
    await put('a/b/meta/info.json')
    await put('a/b/extra/meta/info.json')
    expect(await findDatasetRoot(folder, 1000)).toBe(join(folder, 'a/b'))
    await put('meta/info.json')
    expect(await findDatasetRoot(folder, 1000)).toBe(folder)
  })

  test('nowhere else for HDF5, whose folders mean something', async () => {
    await put('task/success/1.hdf5')
    expect(await findDatasetRoot(folder, 1000)).toBe(folder)
  })

  test('and two are told apart by the person', async () => {
    await put('a/meta/info.json')
    await put('b/meta/info.json')
    await expect(findDatasetRoot(folder, 1000)).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringContaining('2 LeRobot datasets here (a, b)'),
    })
  })
})
