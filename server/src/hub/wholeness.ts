import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killGroup, watchMemory } from '@nmp/formats/child'
import { layOutFiles, type TreeFile } from '../storage/local-tree.ts'
import type { ObjectStorage } from '../storage/storage.ts'

export interface NamedFilesAnswer {
  /** The first file that is named and absent. */
  missing?: string
  /** Why the metadata cannot be read; an import says it in its report. */
  unreadable?: string
}

const entry = fileURLToPath(new URL('./wholeness-entry.ts', import.meta.url))
const heapMegabytes = 512
const memoryBytes = 2 * 1024 ** 3
const deadlineMs = 60_000

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
    return (await askProcess(folder, paths)).missing
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** A process that dies of what it reads, or never ends, counts as metadata that nobody can read. */
const askProcess = (folder: string, paths: string): Promise<NamedFilesAnswer> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMegabytes}`, entry, folder, paths],
      { cwd: '/', env: { TMPDIR: tmpdir() }, timeout: deadlineMs, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 },
      (error, stdout) => {
        unwatch()
        resolve(error ? { unreadable: error.message } : JSON.parse(stdout))
      },
    )
    const unwatch = watchMemory(child.pid, memoryBytes, () => killGroup(child))
  })
