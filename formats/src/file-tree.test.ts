import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFolder } from './file-tree.ts'

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tree-'))
  await mkdir(join(folder, 'in/meta'), { recursive: true })
  await writeFile(join(folder, 'in/meta/info.json'), '{}')
  await writeFile(join(folder, 'in/b.txt'), 'b')
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await symlink(join(folder, 'secret.txt'), join(folder, 'in/link.txt'))
  await symlink('b.txt', join(folder, 'in/inner.txt'))
  return folder
}

describe('a folder as a tree', () => {
  test('lists plain files in the order of their paths', async () => {
    const folder = await makeFolder()
    const tree = await openFolder(join(folder, 'in'), { links: 'anywhere' })
    expect((await tree.list()).map(({ path }) => path)).toEqual(['b.txt', 'inner.txt', 'link.txt', 'meta/info.json'])
    expect(await tree.list('absent')).toEqual([])
  })

  test('no path and no link leads out of it', async () => {
    const tree = await openFolder(join(await makeFolder(), 'in'))
    for (const path of [
      '../secret.txt',
      '/etc/passwd',
      'meta/../../secret.txt',
      'a\0b',
      'meta//info.json',
      '.',
      '',
      'a\\b',
    ]) {
      await expect(tree.find(path), path).rejects.toMatchObject({ code: 'path_refused' })
    }
    await expect(tree.open('link.txt')).rejects.toMatchObject({ code: 'path_refused' })
    await expect(tree.open('absent.txt')).rejects.toMatchObject({ code: 'path_refused' })
    expect(await tree.find('inner.txt')).toMatchObject({ sizeBytes: 1 })
  })

  test('a file is a tree of one, and a range beyond it an error', async () => {
    const folder = await makeFolder()
    const tree = await openFolder(join(folder, 'secret.txt'))
    expect((await tree.list()).map(({ path }) => path)).toEqual(['secret.txt'])
    expect(await tree.find('in')).toBeUndefined()
    await using source = await tree.open('secret.txt')
    expect(new TextDecoder().decode(await source.read(1, 4))).toBe('ecr')
    await expect(source.read(3, 99)).rejects.toMatchObject({ code: 'container_invalid' })
  })

  test('more files than the bound are refused', async () => {
    await expect((await openFolder(join(await makeFolder(), 'in'), { maxFiles: 2 })).list()).rejects.toMatchObject({
      code: 'limit_exceeded',
    })
  })
})
