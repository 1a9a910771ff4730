import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Chain, entryName, type LogEntry } from './chain.ts'
import { compress, decompress } from './compression.ts'
import { type BackupFolder, readSealed, writeSealed } from './folder.ts'
import { type LogShape, type Lsn, segmentName, segmentStart } from './lsn.ts'
import { PieceReader } from './sealed.ts'

const readBytes = 1 << 20
const nameBytes = 32
const maxHeaderBytes = 64 * 1024

interface Header {
  /** Contents that this entry lists, of 32 bytes each, before the log itself. */
  contents: number
  /** Rows that were changed before this are in this entry or in one before it. */
  blobsSince: string
}

export interface EntryDraft {
  chain: Chain
  fromLsn: Lsn
  toLsn: Lsn
  until: number
  kind: LogEntry['kind']
  blobsSince: string
  /** Names of contents, in hex. */
  contents: readonly string[]
}

export interface LogSource extends LogShape {
  /** The folder that the server writes its log to. */
  pgWal: string
  /** Throws when the server has given up log that it was to keep: what was read may be something else. */
  confirm(): Promise<void>
}

/** Adds an entry to the chain, on the disk when this returns. Answers its size. */
export async function writeEntry(folder: BackupFolder, draft: EntryDraft, source: LogSource): Promise<number> {
  const { chain, blobsSince, contents, ...place } = draft
  const last = chain.entries.at(-1)
  const replaced = last?.kind === 'idle' && place.kind === 'idle' ? last : undefined
  const number = replaced?.number ?? (last ? last.number + 1 : 0)
  const name = entryName({ ...place, number })
  const header: Header = { contents: contents.length, blobsSince }
  async function* listBytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify(header)}\n`)
    for (let at = 0; at < contents.length; at += 10_000)
      yield Buffer.from(contents.slice(at, at + 10_000).join(''), 'hex')
    yield* readLog(source, place.fromLsn, place.toLsn)
    await source.confirm()
  }
  const sizeBytes = await writeSealed(folder, `${chain.path}/${name}`, compress(listBytes()))
  chain.entries.push({ ...place, number, name })
  if (replaced) {
    await rm(join(folder.root, chain.path, replaced.name), { force: true })
    chain.entries.splice(chain.entries.indexOf(replaced), 1)
  }
  return sizeBytes
}

/** What the server has written to the disk: nobody changes it any more. */
async function* readLog({ pgWal, ...shape }: LogSource, from: Lsn, to: Lsn): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; ) {
    const start = segmentStart(at, shape)
    const end = minimum(start + BigInt(shape.segmentBytes), to)
    const file = await open(join(pgWal, segmentName(at, shape)), 'r')
    try {
      while (at < end) {
        const wanted = Math.min(readBytes, Number(end - at))
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, Number(at - start))
        if (bytesRead === 0) throw new Error(`PostgreSQL's log ${segmentName(at, shape)} is shorter than it should be.`)
        yield buffer.subarray(0, bytesRead)
        at += BigInt(bytesRead)
      }
    } finally {
      await file.close()
    }
  }
}

const minimum = (one: bigint, other: bigint): bigint => (one < other ? one : other)

export interface OpenedEntry {
  blobsSince: string
  contents: string[]
  /** The log, from `fromLsn` to `toLsn`; to be read to its end, which proves that it is whole. */
  log: AsyncIterable<Uint8Array>
  /** For who does not read it to its end. */
  close(): void
}

export async function openEntry(folder: BackupFolder, chain: Chain, entry: LogEntry): Promise<OpenedEntry> {
  const opened = decompress(readSealed(folder, `${chain.path}/${entry.name}`))
  const reader = new PieceReader(opened)
  const header: Header = JSON.parse(await reader.takeLine(maxHeaderBytes))
  const contents: string[] = []
  while (contents.length < header.contents) {
    const names = await reader.take(Math.min(10_000, header.contents - contents.length) * nameBytes)
    for (let at = 0; at < names.length; at += nameBytes) contents.push(names.toString('hex', at, at + nameBytes))
    if (names.length === 0) throw new Error(`${entry.name} lists fewer contents than it says.`)
  }
  return { blobsSince: header.blobsSince, contents, log: reader.rest(), close: () => opened.destroy() }
}

/** What an entry says beside the log. */
export async function readContents(
  folder: BackupFolder,
  chain: Chain,
  entry: LogEntry,
): Promise<Pick<OpenedEntry, 'blobsSince' | 'contents'>> {
  const { close, contents, blobsSince } = await openEntry(folder, chain, entry)
  close()
  return { contents, blobsSince }
}
