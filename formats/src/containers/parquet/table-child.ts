/** Tables of strangers, read by DuckDB in a process that sees one folder, or one file, and nothing else. */
import { stat } from 'node:fs/promises'
import { createLimiter, type Limiter } from '../../limiter.ts'
import { type Child, type ChildMessage, openInChild } from '../child/child.ts'
import type { Sandbox } from '../child/sandbox.ts'
import type { ColumnRequest, MetadataValue, RowChunk, ScanOptions, Tables } from './table.ts'
import type { ReadingStart, TableCall } from './table-calls.ts'
import { decodeChunks, decodeRecords, invalidAnswer } from './table-wire.ts'

const entry = new URL('./table-entry.ts', import.meta.url)
const limits = {
  deadlineSeconds: 600,
  // DuckDB has 512 MB of it.
  memoryBytes: 1536 * 1024 ** 2,
  fileBytes: 0,
}
/** Starting one takes longer than a page of rows: those without work wait for the next who reads the same, as long as few are at work. */
const mostWithIdle = 4
const idleMilliseconds = 60_000

export const sandboxOfTables = (place: string): Sandbox => ({ reads: [place], writes: [] })

interface Reader {
  child: Child
  /** A child serves one call at a time; readings take turns. */
  turns: Limiter
  userCount: number
}

/** By folder and file, the one that was used last at the end. */
const readers = new Map<string, Reader>()
let idle: NodeJS.Timeout | undefined

async function takeReader(folder: string, only: string | undefined): Promise<Reader> {
  // What a child may read is what was there when it started: a file that took its place since needs another child.
  const { ino, size } = await stat(only ?? folder)
  const key = `${folder}\0${only ?? ''}\0${ino}`
  const known = readers.get(key)
  const reader = known?.child.isAlive ? known : startReader(folder, only)
  readers.delete(key)
  readers.set(key, reader)
  reader.userCount++
  endIdle(mostWithIdle)
  // Its calls have processor time by the size of the file; those on a folder have what every call has.
  if (only !== undefined) reader.child.readsBytes = size
  return reader
}

function startReader(folder: string, only: string | undefined): Reader {
  const sandbox = sandboxOfTables(only ?? folder)
  const options = { entry, args: [folder], subject: 'the Parquet file', unreadableCode: 'container_invalid' } as const
  const child = openInChild({ ...options, sandbox, limits, isResident: true })
  return { child, turns: createLimiter(1), userCount: 0 }
}

function giveBack(reader: Reader): void {
  reader.userCount--
  endIdle(mostWithIdle)
  clearTimeout(idle)
  idle = setTimeout(() => endIdle(0), idleMilliseconds).unref()
}

/** Ends readers without work, those that were used longest ago first, until no more than so many are left with those at work. */
function endIdle(most: number): void {
  const without = [...readers].filter(([, { userCount }]) => userCount === 0)
  for (const [key, { child }] of without.slice(0, Math.max(0, readers.size - most))) {
    readers.delete(key)
    void child.close()
  }
}

let tablesCount = 0

/** One folder's; the child that reads it is given back with each reading. */
export class ChildTables implements Tables {
  readonly #id = ++tablesCount
  readonly #folder: string
  readonly #only: string | undefined
  #last: Reader | undefined

  constructor(folder: string, only: string | undefined) {
    this.#folder = folder
    this.#only = only
  }

  async *scan(
    path: string,
    columns: readonly ColumnRequest[],
    { startRow = 0, endRow, signal }: ScanOptions,
  ): AsyncGenerator<RowChunk> {
    const start = {
      reader: this.#id,
      kind: 'rows',
      path,
      columns,
      startRow,
      ...(endRow === undefined ? {} : { endRow }),
    } as const
    let row = startRow
    for await (const answer of this.#read(start, signal)) {
      for (const chunk of decodeChunks(answer, columns)) {
        if (chunk.startRow !== row || (endRow !== undefined && row + chunk.rowCount > endRow)) throw invalidAnswer()
        row += chunk.rowCount
        yield chunk
      }
    }
  }

  async *readRecords(path: string, columns: readonly string[]): AsyncGenerator<Record<string, MetadataValue>> {
    for await (const answer of this.#read({ reader: this.#id, kind: 'records', path, columns }))
      yield* decodeRecords(answer)
  }

  async close(): Promise<void> {
    const reader = this.#last
    if (!reader?.child.isAlive) return
    // A child that was ended meanwhile, or dies of it, has closed it too.
    await reader.turns.run(() => reader.child.request('close', this.#id)).catch(() => {})
  }

  async *#read(start: ReadingStart, signal?: AbortSignal): AsyncGenerator<ChildMessage> {
    const reader = await takeReader(this.#folder, this.#only)
    this.#last = reader
    const ask = (call: TableCall, params: unknown) => reader.turns.run(() => reader.child.request(call, params))
    try {
      const { head: reading } = await ask('open', start)
      try {
        for (;;) {
          signal?.throwIfAborted()
          const answer = await ask('next', reading)
          if (answer.head === 'end') return
          yield answer
        }
      } finally {
        if (reader.child.isAlive) await ask('end', reading)
      }
    } finally {
      giveBack(reader)
    }
  }
}
