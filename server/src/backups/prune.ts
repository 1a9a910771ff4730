import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Base, type Chain, findEnd, listChains, listUsableBases, readFacts } from './chain.ts'
import { type BackupFolder, listNames, sweepTemporary } from './folder.ts'
import { readContents } from './log-entry.ts'
import { segmentStart } from './lsn.ts'

/** A content that is younger may belong to an entry that is being written. */
const youngMinutes = 60

export interface Pruned {
  /** The earliest time that can still be restored. */
  from: number | undefined
  bases: number
  contents: number
  freedBytes: number
}

/**
 * Removes what only times before `keepFrom` need. The newest base that can bring that time back stays, and whatever comes after it; the
 * newest base of all stays in any case. Contents stay as long as a time that can be restored may name them.
 */
export async function pruneFolder(folder: BackupFolder, keepFrom: number): Promise<Pruned> {
  const chains = await listChains(folder)
  const newest = chains.filter((chain) => findEnd(chain) !== undefined).at(-1)
  const pruned: Pruned = { from: undefined, bases: 0, contents: 0, freedBytes: 0 }
  const needed = new Set<string>()
  for (const chain of chains) {
    const first = findFirstKept(chain, keepFrom, chain === newest)
    const isBegun = first === undefined && (!newest || chain.createdAt > newest.createdAt)
    if (isBegun) await addNeeded(folder, chain, 0, needed)
    else if (first === undefined) await removeChain(folder, chain, pruned)
    else {
      const from = await removeBefore(folder, chain, first, pruned)
      await addNeeded(folder, chain, from, needed)
      pruned.from = Math.min(pruned.from ?? first.until, first.until)
    }
  }
  await removeContents(folder, needed, pruned)
  await sweepTemporary(folder)
  return pruned
}

function findFirstKept(chain: Chain, keepFrom: number, isNewest: boolean): Base | undefined {
  const bases = listUsableBases(chain)
  const end = findEnd(chain)
  if (end === undefined) return undefined
  if (end < keepFrom) return isNewest ? bases.at(-1) : undefined
  return bases.findLast(({ until }) => until <= keepFrom) ?? bases[0]
}

async function removeChain(folder: BackupFolder, chain: Chain, pruned: Pruned): Promise<void> {
  for (const { name } of [...chain.bases, ...chain.entries])
    pruned.freedBytes += await remove(folder, `${chain.path}/${name}`)
  pruned.bases += chain.bases.length
  await rm(join(folder.root, chain.path), { recursive: true, force: true })
}

/** Bases before `first`, then the log that only they need. Answers the first entry whose list of contents counts. */
async function removeBefore(folder: BackupFolder, chain: Chain, first: Base, pruned: Pruned): Promise<number> {
  for (const { name, until } of chain.bases) {
    if (until >= first.until) continue
    pruned.freedBytes += await remove(folder, `${chain.path}/${name}`)
    pruned.bases += 1
  }
  const neededFrom = segmentStart(first.startLsn, await readFacts(folder, chain))
  for (const { name, toLsn } of chain.entries) {
    if (toLsn > neededFrom) break
    pruned.freedBytes += await remove(folder, `${chain.path}/${name}`)
  }
  return chain.entries.find(({ kind, until }) => kind === 'full' && until === first.until)?.number ?? 0
}

async function addNeeded(folder: BackupFolder, chain: Chain, fromNumber: number, needed: Set<string>): Promise<void> {
  for (const entry of chain.entries) {
    if (entry.number < fromNumber || entry.kind === 'idle' || entry.kind === 'more') continue
    for (const name of (await readContents(folder, chain, entry)).contents) needed.add(name)
  }
}

async function removeContents(folder: BackupFolder, needed: ReadonlySet<string>, pruned: Pruned): Promise<void> {
  const olderThan = Date.now() - youngMinutes * 60_000
  for (const shard of await listNames(folder, 'blobs'))
    for (const name of await readdir(join(folder.root, 'blobs', shard))) {
      if (needed.has(name)) continue
      if ((await stat(join(folder.root, 'blobs', shard, name))).mtimeMs > olderThan) continue
      pruned.freedBytes += await remove(folder, `blobs/${shard}/${name}`)
      pruned.contents += 1
    }
}

async function remove(folder: BackupFolder, name: string): Promise<number> {
  const path = join(folder.root, name)
  const { size } = await stat(path)
  await rm(path)
  return size
}
