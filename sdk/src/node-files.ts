import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { readResponse, requestBytes } from './node-http.ts'
import type { CallOptions } from './operation.ts'
import type { Transport } from './transport.ts'
import { type FinishedUpload, type UploadMemory, type UploadSource, uploadFile } from './upload.ts'
import type { UploadStream } from './upload-senders.ts'

export interface LocalFile {
  path: string
  /** Under which name it is sent: below the folder that was given, with `/`. */
  name: string
  sizeBytes: number
  changedMs: number
}

/** The files that paths stand for; a folder stands for all in it, hidden ones left out. */
export async function listLocalFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const files: LocalFile[] = []
  const add = async (path: string, name: string): Promise<void> => {
    const { size, mtimeMs, isDirectory } = await inspect(path)
    if (!isDirectory) files.push({ path, name: name || basename(path), sizeBytes: size, changedMs: mtimeMs })
    else {
      for (const entry of await readdir(path)) {
        if (!entry.startsWith('.')) await add(join(path, entry), name ? `${name}/${entry}` : entry)
      }
    }
  }
  for (const path of paths) await add(resolve(path), '')
  return files.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function inspect(path: string): Promise<{ size: number; mtimeMs: number; isDirectory: boolean }> {
  const found = await stat(path)
  return { size: found.size, mtimeMs: found.mtimeMs, isDirectory: found.isDirectory() }
}

export interface UploadPathsOptions extends CallOptions {
  orgSlug?: string | undefined
  projectSlug?: string | undefined
  /** Files at a time; 4 unless said. */
  parallel?: number | undefined
  onProgress?: ((sentBytes: number, sizeBytes: number) => void) | undefined
  memory?: UploadMemory | undefined
}

const defaultParallel = 4

/** Sends files, folders or both; answers the uploads in the order of the files' names. */
export async function uploadPaths(
  transport: Transport,
  paths: readonly string[],
  options: UploadPathsOptions = {},
): Promise<FinishedUpload[]> {
  const files = await listLocalFiles(paths)
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const sent = files.map(() => 0)
  const uploads: FinishedUpload[] = []
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const queue = files.entries()
  const work = async (): Promise<void> => {
    for (const [index, file] of queue) {
      uploads[index] = await uploadPath(transport, file, {
        ...options,
        signal,
        onProgress: (sentBytes) => {
          sent[index] = sentBytes
          options.onProgress?.(
            sent.reduce((sum, bytes) => sum + bytes, 0),
            total,
          )
        },
      })
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(options.parallel ?? defaultParallel, files.length) }, work))
  } finally {
    stop.abort()
  }
  return uploads
}

async function uploadPath(transport: Transport, file: LocalFile, options: UploadPathsOptions): Promise<FinishedUpload> {
  const handle = await open(file.path)
  try {
    return await uploadFile(transport, openSource(handle, file.sizeBytes), {
      filename: file.name,
      orgSlug: options.orgSlug,
      projectSlug: options.projectSlug,
      signal: options.signal,
      onProgress: options.onProgress,
      memory: options.memory,
      memoryKey: `${transport.baseUrl} ${file.path} ${file.name} ${file.sizeBytes} ${file.changedMs}`,
    })
  } finally {
    await handle.close()
  }
}

const pieceBytes = 1024 * 1024
const stallMs = 10 * 60_000

/** A file whose bytes go from the disk to the line; its sha256 is computed as they pass. */
function openSource(handle: FileHandle, sizeBytes: number): UploadSource {
  const hash = createHash('sha256')
  let hashedBytes = 0
  async function* readPieces(from: number, to: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let position = from; position < to; ) {
      const piece = new Uint8Array(Math.min(pieceBytes, to - position))
      const { bytesRead } = await handle.read(piece, 0, piece.length, position)
      if (bytesRead === 0) throw new Error('The file became shorter during the upload.')
      const read = piece.subarray(0, bytesRead)
      // After a break some bytes pass twice; those before the beginning of a resumed upload, not at all.
      if (hashedBytes >= position && hashedBytes < position + bytesRead) {
        hash.update(read.subarray(hashedBytes - position))
        hashedBytes = position + bytesRead
      }
      position += bytesRead
      yield read
    }
  }
  const send: UploadStream['send'] =
    (from, to, onBytes) =>
    async (url, { method, headers, signal }) => {
      async function* count(): AsyncGenerator<Uint8Array> {
        let sent = 0
        for await (const piece of readPieces(from, to)) {
          yield piece
          sent += piece.length
          onBytes(sent)
        }
      }
      return readResponse(
        await requestBytes(url, { method, headers: Object.fromEntries(headers), body: count(), signal, stallMs }),
      )
    }
  return {
    sizeBytes,
    read: async (from, to) => {
      const bytes = new Uint8Array(to - from)
      let filled = 0
      for await (const piece of readPieces(from, to)) {
        bytes.set(piece, filled)
        filled += piece.length
      }
      return bytes
    },
    stream: {
      send,
      async hash() {
        // What did not pass here in this run is read once more.
        for await (const _piece of readPieces(hashedBytes, sizeBytes));
        return hash.copy().digest('hex')
      },
    },
  }
}
