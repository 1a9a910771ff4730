import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type BackupFolder, listNames, readSealed, writeSealed } from './folder.ts'
import { type LogShape, type Lsn, nameLsn } from './lsn.ts'

const chainsFolder = 'chains'
const chainFile = 'chain'
const chainPattern = /^(\d{13})-([0-9a-f]{12})$/
const basePattern = /^base-(\d{13})-([0-9a-f]{16})-([0-9a-f]{16})$/
const entryPattern = /^log-(\d{8})-([0-9a-f]{16})-([0-9a-f]{16})-(\d{13})-(full|added|idle|more)$/

/** Of which server, and by whom. */
export interface ChainFacts extends LogShape {
  /** Host and data folder: two programs that write to one folder find each other out. */
  source: string
  postgresMajor: number
  systemIdentifier: string
  programVersion: string
}

/** A copy of the database's files. Restorable from `until` on. */
export interface Base {
  name: string
  until: number
  startLsn: Lsn
  stopLsn: Lsn
}

/**
 * A stretch of PostgreSQL's log. `full` and `added` say that everything up to `until` is in the folder: the log, and every content that
 * rows name; `full` lists all contents, `added` those since the entry before. `idle` is an `added` in which nothing happened. `more` is
 * log that is not to be restored to yet.
 */
export interface LogEntry {
  name: string
  number: number
  fromLsn: Lsn
  toLsn: Lsn
  until: number
  kind: 'full' | 'added' | 'idle' | 'more'
}

/** One server's unbroken log, and the copies it starts from. */
export interface Chain {
  path: string
  id: string
  createdAt: number
  bases: Base[]
  entries: LogEntry[]
}

export const chainPath = (createdAt: number, id: string): string =>
  `${chainsFolder}/${String(createdAt).padStart(13, '0')}-${id}`

export const baseName = ({ until, startLsn, stopLsn }: Omit<Base, 'name'>): string =>
  `base-${nameTime(until)}-${nameLsn(startLsn)}-${nameLsn(stopLsn)}`

export const entryName = ({ number, fromLsn, toLsn, until, kind }: Omit<LogEntry, 'name'>): string =>
  `log-${String(number).padStart(8, '0')}-${nameLsn(fromLsn)}-${nameLsn(toLsn)}-${nameTime(until)}-${kind}`

const nameTime = (time: number): string => String(time).padStart(13, '0')

/** Oldest first. */
export async function listChains(folder: BackupFolder): Promise<Chain[]> {
  const chains: Chain[] = []
  for (const name of (await listNames(folder, chainsFolder)).sort()) {
    const match = chainPattern.exec(name)
    if (match) chains.push(await readChain(folder, Number(match[1]), match[2] ?? ''))
  }
  return chains
}

/** By the names of its files, which each is sealed under. */
async function readChain(folder: BackupFolder, createdAt: number, id: string): Promise<Chain> {
  const path = chainPath(createdAt, id)
  const names = (await listNames(folder, path)).sort()
  const entries = names.flatMap((name) => parseEntry(name) ?? [])
  return {
    path,
    id,
    createdAt,
    bases: names.flatMap((name) => parseBase(name) ?? []),
    // A kill between writing an idle entry and removing the one before leaves both.
    entries: entries.filter((entry, index) => entry.kind !== 'idle' || entry.number !== entries[index + 1]?.number),
  }
}

const parseBase = (name: string): Base | undefined => {
  const [match, until, start, stop] = basePattern.exec(name) ?? []
  return match === undefined
    ? undefined
    : { name, until: Number(until), startLsn: BigInt(`0x${start}`), stopLsn: BigInt(`0x${stop}`) }
}

const parseEntry = (name: string): LogEntry | undefined => {
  const [match, number, from, to, until, kind] = entryPattern.exec(name) ?? []
  if (match === undefined) return undefined
  return {
    name,
    number: Number(number),
    fromLsn: BigInt(`0x${from}`),
    toLsn: BigInt(`0x${to}`),
    until: Number(until),
    kind: kind as LogEntry['kind'],
  }
}

export const writeFacts = async (folder: BackupFolder, path: string, facts: ChainFacts): Promise<void> => {
  await writeSealed(folder, `${path}/${chainFile}`, Readable.from([Buffer.from(JSON.stringify(facts))]))
}

export const readFacts = async (folder: BackupFolder, { path }: Chain): Promise<ChainFacts> =>
  JSON.parse(await text(Readable.from(readSealed(folder, `${path}/${chainFile}`))))

/** Up to when everything is there; undefined before the first base is whole. */
export function findEnd(chain: Chain): number | undefined {
  const [first] = listUsableBases(chain)
  const last = chain.entries.findLast(({ kind }) => kind !== 'more')
  return first && last && last.until >= first.until ? last.until : undefined
}

/** Those whose own log is there up to their end. */
export const listUsableBases = ({ bases, entries }: Chain): Base[] => {
  const end = entries.findLast(({ kind }) => kind !== 'more')?.toLsn ?? 0n
  return bases.filter(({ stopLsn }) => stopLsn <= end)
}

/** The log entries that lead from a copy to a time. Throws where one is missing. */
export function selectEntries(chain: Chain, base: Base, until: number, firstLsn: Lsn): LogEntry[] {
  const last = chain.entries.findIndex((entry) => entry.kind !== 'more' && entry.until >= until)
  const entries = chain.entries.slice(0, last + 1).filter(({ toLsn, fromLsn }) => toLsn > firstLsn || fromLsn === toLsn)
  let next = firstLsn
  for (const entry of entries) {
    if (entry.fromLsn > next) throw missingLog(chain, next, entry.fromLsn)
    if (entry.toLsn > next) next = entry.toLsn
  }
  if (next < base.stopLsn) throw missingLog(chain, next, base.stopLsn)
  return entries
}

const missingLog = ({ path }: Chain, from: Lsn, to: Lsn): Error =>
  new Error(
    `A part of the database's log is missing in ${path}: the files from ${nameLsn(from)} to ${nameLsn(to)}. Bring them back from a copy of the folder, or choose an earlier minute.`,
  )

/** Where the log of this chain has a hole, if it has one. */
export function findGap(chain: Chain): Error | undefined {
  for (const [index, entry] of chain.entries.entries()) {
    const before = chain.entries[index - 1]
    if (before && (entry.fromLsn !== before.toLsn || entry.number !== before.number + 1))
      return missingLog(chain, before.toLsn, entry.fromLsn)
  }
  return undefined
}
