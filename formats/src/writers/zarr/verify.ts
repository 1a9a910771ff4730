import { opendir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { FormatError } from '../../errors.ts'
import type { WriteReport } from '../writer.ts'
import { shapeNumbers } from './arrays.ts'
import { readZipEntries } from './zip-entries.ts'

interface Described {
  readonly shape: readonly number[]
  readonly chunks: readonly number[]
  readonly compressor: { readonly id: string } | null
}

/** Every file is read back: each array has as many rows as there are frames and a chunk for all of them, and episodes end where frames do. */
export async function verifyReplayBuffer(
  folder: string,
  rootName: string,
  expected: Pick<WriteReport, 'episodeCount' | 'frameCount'>,
  signal?: AbortSignal,
): Promise<void> {
  const chunkCounts = new Map<string, number>()
  const arrays = new Map<string, Described>()
  const lastChunk = String(Math.floor((expected.episodeCount - 1) / shapeNumbers('int64', []).rowsPerChunk))
  let ends = new Uint8Array()
  for await (const { name, bytes } of readEntries(folder, rootName)) {
    signal?.throwIfAborted()
    const [array, file] = [name.slice(0, Math.max(0, name.lastIndexOf('/'))), name.slice(name.lastIndexOf('/') + 1)]
    if (file === '.zarray') arrays.set(array, JSON.parse(Buffer.from(bytes).toString('utf8')))
    else if (!file.startsWith('.z')) {
      if (bytes.length > 0) chunkCounts.set(array, (chunkCounts.get(array) ?? 0) + 1)
      if (array === endsPath && file === lastChunk) ends = Uint8Array.from(bytes)
    }
  }
  for (const [array, { shape, chunks }] of arrays) {
    const rows = array === endsPath ? expected.episodeCount : expected.frameCount
    if (shape[0] !== rows) throw describeFault(`${array} has ${shape[0]} rows instead of ${rows}`)
    const wanted = Math.ceil(rows / (chunks[0] ?? 1))
    const found = chunkCounts.get(array) ?? 0
    if (found !== wanted) throw describeFault(`${array} has ${found} chunks instead of ${wanted}`)
  }
  const last = readLast(ends, arrays.get(endsPath), expected.episodeCount)
  if (last !== expected.frameCount) throw describeFault(`the last episode ends at ${last}, not ${expected.frameCount}`)
}

const endsPath = 'meta/episode_ends'

async function* readEntries(folder: string, rootName: string): AsyncGenerator<{ name: string; bytes: Uint8Array }> {
  const archive = join(folder, `${rootName}.zip`)
  if ((await stat(archive).catch(() => undefined))?.isFile()) return yield* readZipEntries(archive)
  const root = join(folder, rootName)
  for await (const entry of await opendir(root, { recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    yield { name: relative(root, path).split(sep).join('/'), bytes: await readFile(path) }
  }
}

/** Of the last chunk: episodes before it are in others. */
function readLast(chunk: Uint8Array, described: Described | undefined, episodeCount: number): number | undefined {
  if (!described || chunk.length === 0) return undefined
  const bytes = described.compressor ? zstdDecompressSync(chunk) : Buffer.from(chunk)
  const place = (episodeCount - 1) % (described.chunks[0] ?? 1)
  return Number(bytes.readBigInt64LE(place * 8))
}

const describeFault = (what: string) => new FormatError('container_invalid', `What was written is not right: ${what}.`)
