import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '../errors.ts'
import { type Chain, findGap, listChains, listUsableBases, readFacts } from './chain.ts'
import { type BackupFolder, contentPath, isThere, listNames, readSealed } from './folder.ts'
import { openEntry } from './log-entry.ts'
import { readBase } from './unpack.ts'

export interface Verified {
  bases: number
  entries: number
  contents: number
  bytes: number
  faults: string[]
}

/** Reads every byte of the folder and opens it with the key; lists what is damaged or missing. Changes nothing. */
export async function verifyFolder(folder: BackupFolder): Promise<Verified> {
  const verified: Verified = { bases: 0, entries: 0, contents: 0, bytes: 0, faults: [] }
  const note = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error) => verified.faults.push(describeError(error)))
  }
  const listed = new Set<string>()
  for (const chain of await listChains(folder)) {
    if (listUsableBases(chain).length === 0) continue
    const gap = findGap(chain)
    if (gap) verified.faults.push(gap.message)
    await note(() => readFacts(folder, chain))
    for (const base of chain.bases) {
      verified.bases += 1
      await note(() => readBase(folder, { chain, base }, async () => undefined))
    }
    for (const entry of chain.entries) {
      verified.entries += 1
      await note(() => verifyEntry(folder, chain, entry, listed))
    }
    for (const { name } of [...chain.bases, ...chain.entries])
      verified.bytes += (await stat(join(folder.root, chain.path, name))).size
  }
  for await (const name of listContents(folder)) {
    verified.contents += 1
    verified.bytes += (await stat(join(folder.root, name))).size
    await note(() => verifyContent(folder, name))
  }
  return verified
}

async function verifyEntry(
  folder: BackupFolder,
  chain: Chain,
  entry: Chain['entries'][number],
  seen: Set<string>,
): Promise<void> {
  const { contents, log } = await openEntry(folder, chain, entry)
  let bytes = 0n
  for await (const chunk of log) bytes += BigInt(chunk.byteLength)
  if (bytes !== entry.toLsn - entry.fromLsn)
    throw new Error(`${chain.path}/${entry.name} holds less of the log than its name says.`)
  for (const content of contents) {
    if (seen.has(content)) continue
    seen.add(content)
    const name = contentPath(content)
    if (!(await isThere(folder, name))) throw new Error(`${join(folder.root, name)} is missing.`)
  }
}

async function verifyContent(folder: BackupFolder, name: string): Promise<void> {
  const hash = createHash('sha256')
  for await (const chunk of readSealed(folder, name)) hash.update(chunk)
  if (!name.endsWith(folder.key.nameContent(hash.digest('hex'))))
    throw new Error(`${join(folder.root, name)} holds another content than its name says.`)
}

async function* listContents(folder: BackupFolder): AsyncGenerator<string> {
  for (const shard of await listNames(folder, 'blobs'))
    for (const name of await readdir(join(folder.root, 'blobs', shard))) yield `blobs/${shard}/${name}`
}
