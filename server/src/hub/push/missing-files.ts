import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killGroup, startProcess } from '@nmp/formats/child'
import type { Sandbox } from '@nmp/formats/child/sandbox'
import { watchMemory } from '@nmp/formats/child/use'
import { removeFolder } from '@nmp/formats/remove-folder'
import { layOutFiles, type TreeFile } from '../../storage/local-tree.ts'
import type { ObjectStorage } from '../../storage/storage.ts'

export interface NamedFilesAnswer {
  /** The first file that is named and absent. */
  missing?: string
  /** Why the metadata cannot be read; an import says it in its report. */
  unreadable?: string
}

const entry = new URL('./missing-files-entry.ts', import.meta.url)
const heapBytes = 512 * 1024 ** 2
const bounds = { memoryBytes: 2 * 1024 ** 3, fileBytes: 1024 ** 3, cpuSeconds: 240, openFiles: 512 }
const deadlineMs = 60_000
const maxAnswerLength = 1024 ** 2

const isMetadata = (path: string): boolean => /^meta\/(info\.json|episodes\.jsonl|episodes\/.+\.parquet)$/.test(path)

/**
 * What a pushed tree still lacks of the files that its info.json and its table of episodes name; undefined when it is whole. A tree
 * whose metadata nobody can read is as whole as it will ever be: its import tells what is wrong with it.
 */
export async function findMissingFile(storage: ObjectStorage, files: readonly TreeFile[]): Promise<string | undefined> {
  const has = (pattern: RegExp) => files.some(({ path }) => pattern.test(path))
  if (!has(/^meta\/info\.json$/)) return 'meta/info.json'
  if (!has(/^meta\/episodes(\.jsonl|\/.+\.parquet)$/)) return 'meta/episodes'
  if (!has(/^data\/.+\.parquet$/)) return 'data'
  const work = await mkdtemp(join(tmpdir(), 'nmp-push-'))
  try {
    const folder = join(work, 'tree')
    await layOutFiles(
      storage,
      files.filter(({ path }) => isMetadata(path)),
      folder,
    )
    const paths = join(work, 'paths.json')
    await writeFile(paths, JSON.stringify(files.map(({ path }) => path)))
    await mkdir(join(work, 'tmp'))
    return (await askProcess(work, [folder, paths])).missing
  } finally {
    await removeFolder(work)
  }
}

/** It reads what was laid out for it and writes only where Parquet readers spill to. */
export const sandboxOfPushReader = (work: string): Sandbox => ({ reads: [work], writes: [join(work, 'tmp')] })

/** A process that dies of what it reads, or never ends, counts as metadata that nobody can read. */
async function askProcess(work: string, args: string[]): Promise<NamedFilesAnswer> {
  const env = { TMPDIR: join(work, 'tmp') }
  const child = startProcess(entry, bounds, sandboxOfPushReader(work), { args, heapBytes, env })
  const unwatch = watchMemory(child.pid, bounds.memoryBytes, () => killGroup(child))
  const deadline = setTimeout(() => killGroup(child), deadlineMs)
  try {
    child.stderr?.resume()
    let answer = ''
    for await (const part of child.stdout ?? []) {
      answer += part
      if (answer.length > maxAnswerLength) killGroup(child)
    }
    return JSON.parse(answer)
  } catch {
    return { unreadable: 'The process that reads the metadata ended before it answered.' }
  } finally {
    clearTimeout(deadline)
    unwatch()
  }
}
