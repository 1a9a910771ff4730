import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '@nmp/formats/remove-folder'
import type { Context } from '../context.ts'
import { layOutFiles } from '../storage/local-tree.ts'
import { listRevisionFiles, type RevisionFile } from './service.ts'

export interface LayOutRevisionOptions {
  /** Which files are needed; all when omitted. Where objects must be fetched, only these are. */
  paths?: (path: string) => boolean
  signal?: AbortSignal
}

/** A revision that nobody asked for in this time may be taken off the disk, where its files are copies. */
const keptMs = 3_600_000
const maxCopiedBytes = 20 * 1024 ** 3

const running = new Map<string, Promise<string>>()
/** Folders that this process has laid out whole, and when they were last asked for. */
const whole = new Map<string, number>()

/**
 * The canonical files of a revision as a local folder: links where the store is a folder of this machine, copies otherwise. The
 * folder is shared by all who ask and stays; open it with `links: 'anywhere'`. A `folder` of one's own is made anew and is one's own.
 */
export async function layOutRevision(
  context: Pick<Context, 'db' | 'storage' | 'config'>,
  revision: { id: string; orgId: string },
  folder?: string,
  options: LayOutRevisionOptions = {},
): Promise<string> {
  const target = folder ?? join(context.config.NMP_DATA_DIR, 'laid-out', revision.id)
  if (folder === undefined && whole.has(target) && (await stat(target).catch(() => undefined))) {
    whole.set(target, Date.now())
    return target
  }
  // One after the other for a folder: two that fetch the same file would each write half of it.
  const before = running.get(target) ?? Promise.resolve(target)
  const mine = before.catch(() => target).then(() => layOut(context, revision, target, folder !== undefined, options))
  running.set(target, mine)
  try {
    return await mine
  } finally {
    if (running.get(target) === mine) running.delete(target)
  }
}

async function layOut(
  context: Pick<Context, 'db' | 'storage' | 'config'>,
  revision: { id: string; orgId: string },
  target: string,
  isOwn: boolean,
  { paths, signal }: LayOutRevisionOptions,
): Promise<string> {
  if (!isOwn && context.storage.kind !== 'folder') await makeRoom(context.config.NMP_DATA_DIR, target)
  const missing: RevisionFile[] = []
  for await (const file of listRevisionFiles(context.db, revision.id, revision.orgId)) {
    signal?.throwIfAborted()
    // A link whose object moved counts as missing: `stat` follows it.
    if ((paths?.(file.path) ?? true) && !(await stat(join(target, file.path)).catch(() => undefined)))
      missing.push(file)
  }
  await mkdir(target, { recursive: true })
  if (missing.length > 0) {
    const beside = `${target}.${randomUUID()}`
    await mkdir(beside, { recursive: true })
    try {
      await layOutFiles(context.storage, missing, beside, signal ? { signal } : {})
      for (const { path } of missing) {
        await mkdir(join(target, path, '..'), { recursive: true })
        await rename(join(beside, path), join(target, path))
      }
    } finally {
      await removeFolder(beside)
    }
  }
  if (!isOwn && !paths) whole.set(target, Date.now())
  await utimes(target, new Date(), new Date())
  return target
}

/** Copies are bounded: those longest unused go first, none that may be in use. */
async function makeRoom(dataFolder: string, keep: string): Promise<void> {
  const root = join(dataFolder, 'laid-out')
  const names = await readdir(root).catch(() => [])
  const folders = await Promise.all(
    names.map(async (name) => {
      const path = join(root, name)
      return { path, usedAt: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0, sizeBytes: await measure(path) }
    }),
  )
  let total = folders.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  for (const { path, usedAt, sizeBytes } of folders.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= maxCopiedBytes) return
    const lastUse = Math.max(usedAt, whole.get(path) ?? 0)
    if (path === keep || Date.now() - lastUse < keptMs) continue
    whole.delete(path)
    await removeFolder(path)
    total -= sizeBytes
  }
}

async function measure(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let total = 0
  for (const entry of entries)
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  return total
}
