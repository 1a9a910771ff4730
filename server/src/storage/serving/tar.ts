import type { Readable, Writable } from 'node:stream'
import type { ByteRange, ReadOptions } from '../storage.ts'
import { sendInto } from './file-body.ts'

/**
 * A tar of stored objects that is never stored itself: its length and each byte's place are known before the first is read, so it can
 * be asked for by Range. Headers hold nothing but path and size, so the same files give the same bytes.
 */
export type TarFile = {
  /** As it is to stand in the tar. */
  path: string
  sizeBytes: number
} & ({ storeKey: string } | { bytes: Uint8Array })

/** Where the files are: an object store, or whatever opens them by the key they were planned with. */
export interface TarSource {
  getObject(storeKey: string, options: ReadOptions): Promise<{ body: Readable }>
}

export interface Tar {
  sizeBytes: number
  pieces: readonly TarPiece[]
}

type TarPiece = { start: number; sizeBytes: number } & ({ bytes: Uint8Array } | { storeKey: string })

const block = 512

export function planTar(files: readonly TarFile[]): Tar {
  const pieces: TarPiece[] = []
  let end = 0
  const add = (piece: { bytes: Uint8Array } | { storeKey: string }, sizeBytes: number): void => {
    if (sizeBytes > 0) pieces.push({ start: end, sizeBytes, ...piece })
    end += sizeBytes
  }
  const addBytes = (bytes: Uint8Array) => add({ bytes }, bytes.byteLength)
  for (const { path, sizeBytes, ...content } of files) {
    addBytes(describeTarFile(path, sizeBytes))
    add(content, sizeBytes)
    addBytes(fillTarFile(sizeBytes))
  }
  addBytes(endTar())
  return { sizeBytes: end, pieces }
}

export async function* readTar(...asked: Parameters<typeof openTar>): AsyncGenerator<Uint8Array> {
  for await (const part of openTar(...asked)) {
    if (part instanceof Uint8Array) yield part
    else yield* part
  }
}

/** Writes what was asked for and leaves the target open. */
export async function sendTar(target: Writable, ...asked: Parameters<typeof openTar>): Promise<void> {
  for await (const part of openTar(...asked)) {
    // Two blocks or three: small enough to be left to the files' writes, which wait for the target.
    if (part instanceof Uint8Array) target.write(part)
    else await sendInto(target, part)
  }
}

/** What stands between the files, and the files. */
async function* openTar(
  storage: TarSource,
  tar: Tar,
  { start, end }: ByteRange,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array | Readable> {
  for (let place = findPiece(tar.pieces, start); place < tar.pieces.length; place++) {
    const piece = tar.pieces[place]
    if (!piece || piece.start >= end) return
    signal?.throwIfAborted()
    const range = { start: Math.max(0, start - piece.start), end: Math.min(piece.sizeBytes, end - piece.start) }
    if ('bytes' in piece) yield piece.bytes.subarray(range.start, range.end)
    else yield (await storage.getObject(piece.storeKey, { range, ...(signal ? { signal } : {}) })).body
  }
}

function findPiece(pieces: readonly TarPiece[], start: number): number {
  let [low, high] = [0, pieces.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const piece = pieces[middle]
    if (piece && piece.start + piece.sizeBytes <= start) low = middle + 1
    else high = middle
  }
  return low
}

/** What follows a file, up to the next block. */
export const fillTarFile = (sizeBytes: number): Uint8Array => new Uint8Array(fill(sizeBytes))

/** What follows the last file. */
export const endTar = (): Uint8Array => new Uint8Array(2 * block)

/** What stands before a file. POSIX ustar; a path or size that does not fit its fields goes before it in a pax record. */
export function describeTarFile(path: string, sizeBytes: number): Uint8Array {
  const name = Buffer.from(path)
  const records: string[] = []
  if (name.byteLength > 100 || name.byteLength !== path.length) records.push(makeRecord('path', path))
  if (sizeBytes >= 8 ** 11) records.push(makeRecord('size', String(sizeBytes)))
  const header = makeHeader(name, records.length > 0 ? Math.min(sizeBytes, 8 ** 11 - 1) : sizeBytes, '0')
  if (records.length === 0) return header
  const text = Buffer.from(records.join(''))
  const label = Buffer.from('PaxHeader')
  return Buffer.concat([makeHeader(label, text.byteLength, 'x'), text, Buffer.alloc(fill(text.byteLength)), header])
}

function makeHeader(name: Buffer, sizeBytes: number, type: string): Uint8Array {
  const header = Buffer.alloc(block)
  name.copy(header, 0, 0, 100)
  const write = (text: string, at: number) => header.write(text, at, 'latin1')
  write('0000644\0', 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124)
  write('00000000000\0', 136)
  write('        ', 148)
  write(type, 156)
  write('ustar\x0000', 257)
  write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return header
}

/** `LENGTH key=value\n`, where the length counts itself. */
function makeRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + 1
  while (String(length).length + rest !== length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

const fill = (sizeBytes: number): number => (block - (sizeBytes % block)) % block
