import { createReadStream } from 'node:fs'
import { join } from 'node:path'

export interface TarFile {
  /** Relative, with forward slashes: the name in the archive. */
  path: string
  sizeBytes: number
}

const BLOCK = 512
const NAME_BYTES = 100
const PREFIX_BYTES = 155
/** Largest size that eleven octal digits hold. */
const OCTAL_SIZE = 8 * 1024 ** 3

/**
 * The files of a folder as one POSIX tar, in bounded memory. Same files, same bytes: paths sorted, no owner, no date, plain rights.
 * Own code, since the libraries at hand leave the order and the times to their caller and cannot say what a change of theirs changes.
 */
export async function* writeTar(
  folder: string,
  files: readonly TarFile[],
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { path, sizeBytes } of sortPaths(files)) {
    for (const header of writeHeaders(path, sizeBytes)) yield header
    let read = 0
    const stream = createReadStream(join(folder, path), { highWaterMark: 1024 * 1024, ...(signal && { signal }) })
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      read += chunk.byteLength
      yield chunk
    }
    if (read !== sizeBytes)
      throw new Error(`${path} changed while it was packed: ${read} bytes instead of ${sizeBytes}`)
    yield pad(sizeBytes)
  }
  yield new Uint8Array(2 * BLOCK)
}

/** Bytes of the whole archive. */
export function measureTar(files: readonly TarFile[]): number {
  const measure = ({ path, sizeBytes }: TarFile) =>
    writeHeaders(path, sizeBytes).reduce(
      (sum, { byteLength }) => sum + byteLength,
      sizeBytes + pad(sizeBytes).byteLength,
    )
  return files.reduce((sum, file) => sum + measure(file), 2 * BLOCK)
}

export const sortPaths = <F extends { path: string }>(files: readonly F[]): F[] =>
  files.toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))

/** One header, or a pax header before it where the name or the size does not fit. */
function writeHeaders(path: string, sizeBytes: number): Uint8Array[] {
  const split = splitName(path)
  const isPlain = split !== undefined && sizeBytes < OCTAL_SIZE
  if (isPlain) return [writeHeader(split, sizeBytes, '0')]
  const records = [
    ...(split ? [] : [writeRecord('path', path)]),
    ...(sizeBytes < OCTAL_SIZE ? [] : [writeRecord('size', String(sizeBytes))]),
  ]
  const body = Buffer.concat(records)
  const name = { name: 'pax-header', prefix: '' }
  const short = split ?? { name: Buffer.from(path).subarray(-NAME_BYTES).toString('latin1'), prefix: '' }
  return [
    writeHeader(name, body.byteLength, 'x'),
    body,
    pad(body.byteLength),
    writeHeader(short, sizeBytes < OCTAL_SIZE ? sizeBytes : 0, '0'),
  ]
}

interface SplitName {
  name: string
  prefix: string
}

/** ustar keeps 100 bytes of name and 155 of folder before it. */
function splitName(path: string): SplitName | undefined {
  const bytes = Buffer.byteLength(path)
  if (bytes !== path.length) return undefined
  if (bytes <= NAME_BYTES) return { name: path, prefix: '' }
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (name.length <= NAME_BYTES && prefix.length <= PREFIX_BYTES) return { name, prefix }
  }
  return undefined
}

/** `length key=value\n`, where the length counts itself. */
function writeRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return Buffer.from(`${length} ${key}=${value}\n`)
}

function writeHeader({ name, prefix }: SplitName, sizeBytes: number, type: '0' | 'x'): Uint8Array {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0, 'latin1')
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(sizeBytes, 11), 124)
  header.write(octal(0, 11), 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('ustar\0' + '00', 257, 'latin1')
  header.write(octal(0, 7), 329)
  header.write(octal(0, 7), 337)
  header.write(prefix, 345, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

const pad = (sizeBytes: number): Uint8Array => new Uint8Array((BLOCK - (sizeBytes % BLOCK)) % BLOCK)
