import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { programVersion } from '../config.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { type Base, type Chain, chainPath, listChains, readFacts, writeFacts } from './chain.ts'
import { copyCluster } from './cluster-copy.ts'
import { type CopiedContents, copyContents } from './contents.ts'
import type { BackupFolder } from './folder.ts'
import { type LogSource, readContents, writeEntry } from './log-entry.ts'
import { type Lsn, segmentStart } from './lsn.ts'
import {
  advanceSlot,
  createSlot,
  dropSlots,
  findMoment,
  findServerFacts,
  findSlotLsn,
  type ServerFacts,
  type Session,
} from './repository.ts'

/** The log goes into files of at most this much, so that a long stretch is not begun anew after a kill. */
const maxEntryBytes = 64n << 20n
/** Who wrote to the folder within this time is taken to be alive. */
const aliveMinutes = 15
const everything = '-infinity'

export interface Work {
  session: Session
  storage: ObjectStorage
  folder: BackupFolder
  server: ServerFacts
  dataDir: string
  signal?: AbortSignal | undefined
}

export const openWork = async (given: Omit<Work, 'server'>): Promise<Work> => ({
  ...given,
  server: await findServerFacts(given.session),
})

/** The chain that this server goes on with: it has kept the log since the chain's last entry. */
export async function findOwnChain({ session, folder, server }: Work): Promise<Chain | undefined> {
  for (const chain of (await listChains(folder)).reverse()) {
    const keptFrom = await findSlotLsn(session, chain.id)
    const last = chain.entries.at(-1)
    if (keptFrom === undefined) continue
    const isWhole = last ? keptFrom <= last.toLsn : chain.bases.length === 0
    if (isWhole && (await readFacts(folder, chain)).timeline === server.timeline) return chain
  }
  return undefined
}

/** A new one, whose first base is still to be taken. A lasting one takes the place of the chain that the server kept its log for. */
export async function beginChain(work: Work, isTemporary: boolean): Promise<Chain> {
  const { session, folder, server } = work
  const source = `${hostname()}:${work.dataDir}`
  if (!isTemporary) await requireNobodyElse(folder, source)
  const id = randomBytes(6).toString('hex')
  const createdAt = Date.now()
  const path = chainPath(createdAt, id)
  const { dataFolder: _, ...facts } = server
  await writeFacts(folder, path, { ...facts, source, programVersion })
  if (!isTemporary) await dropSlots(session, 0)
  await createSlot(session, id, isTemporary)
  return { path, id, createdAt, bases: [], entries: [] }
}

async function requireNobodyElse(folder: BackupFolder, source: string): Promise<void> {
  const newest = (await listChains(folder)).findLast(({ entries }) => entries.length > 0)
  const seen = newest?.entries.at(-1)?.until ?? 0
  if (!newest || Date.now() - seen > aliveMinutes * 60_000) return
  const other = (await readFacts(folder, newest)).source
  if (other !== source)
    throw new Error(
      `${folder.root} is in use by ${other}, which wrote to it within the last ${aliveMinutes} minutes. Give each program a folder of its own (NMP_BACKUP_DIR).`,
    )
}

export interface Taken {
  until: number
  addedBytes: number
  contents: Omit<CopiedContents, 'names'>
}

/** Brings the folder up to this moment: the contents that rows name, then the log that has those rows. */
export async function takeLog(work: Work, chain: Chain, kind: 'full' | 'added', firstLsn?: Lsn): Promise<Taken> {
  const { session, storage, folder, signal } = work
  const since = kind === 'full' ? everything : await findSince(folder, chain)
  const from = chain.entries.at(-1)?.toLsn ?? firstLsn
  if (from === undefined) throw new Error('A chain begins with a base.')
  const moment = await findMoment(session)
  let addedBytes = await takeMore(work, chain, from, moment.lsn, since)
  const { names, ...contents } = await copyContents(session, storage, folder, { since, signal })
  const fromLsn = chain.entries.at(-1)?.toLsn ?? from
  const isIdle = kind === 'added' && names.length === 0 && fromLsn === moment.lsn
  const draft = {
    chain,
    fromLsn,
    toLsn: moment.lsn,
    until: moment.until,
    kind: isIdle ? ('idle' as const) : kind,
    blobsSince: moment.blobsSince,
    contents: names,
  }
  addedBytes += await writeEntry(folder, draft, logOf(work, chain))
  await advanceSlot(session, chain.id, moment.lsn)
  return { until: moment.until, addedBytes: addedBytes + contents.addedBytes, contents }
}

/** A long stretch of log, before the contents that it may name: PostgreSQL need not keep it any longer. */
async function takeMore(work: Work, chain: Chain, from: Lsn, to: Lsn, blobsSince: string): Promise<number> {
  let sizeBytes = 0
  for (let at = from; to - at > maxEntryBytes; at += maxEntryBytes) {
    work.signal?.throwIfAborted()
    const draft = { chain, fromLsn: at, toLsn: at + maxEntryBytes, until: 0, kind: 'more' as const, blobsSince }
    sizeBytes += await writeEntry(work.folder, { ...draft, contents: [] }, logOf(work, chain))
    await advanceSlot(work.session, chain.id, draft.toLsn)
  }
  return sizeBytes
}

async function findSince(folder: BackupFolder, chain: Chain): Promise<string> {
  const last = chain.entries.findLast(({ kind }) => kind !== 'more')
  return last ? (await readContents(folder, chain, last)).blobsSince : everything
}

const logOf = ({ server, session }: Work, chain: Chain): LogSource => ({
  pgWal: join(server.dataFolder, 'pg_wal'),
  timeline: server.timeline,
  segmentBytes: server.segmentBytes,
  async confirm() {
    if ((await findSlotLsn(session, chain.id)) === undefined)
      throw new Error('PostgreSQL has given up log that is not in the backup yet. The next backup begins a new chain.')
  },
})

/** A copy of the database's files, and everything up to its end. It counts when both are in the folder. */
export async function takeBase(work: Work, chain: Chain): Promise<Taken & { base: Base; baseBytes: number }> {
  const draft = await copyCluster(work.session, work.folder, chain, work.server.dataFolder)
  try {
    const taken = await takeLog(work, chain, 'full', segmentStart(draft.startLsn, work.server))
    const base = await draft.publish(taken.until)
    return { ...taken, base, baseBytes: draft.sizeBytes }
  } catch (error) {
    await draft.discard()
    throw error
  }
}
