import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { CallOptions } from './operation.ts'
import type { Transport } from './transport.ts'
import { type FinishedUpload, type UploadMemory, type UploadSource, uploadFile } from './upload.ts'

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
/** Two of them are held per file. */
const chunkBytes = 16 * 1024 * 1024

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
    return await uploadFile(transport, readHandle(handle, file.sizeBytes), {
      filename: file.name,
      orgSlug: options.orgSlug,
      projectSlug: options.projectSlug,
      signal: options.signal,
      onProgress: options.onProgress,
      memory: options.memory,
      memoryKey: `${transport.baseUrl} ${file.path} ${file.name} ${file.sizeBytes} ${file.changedMs}`,
      chunkBytes,
      hash: async (chunk) =>
        createHash('sha256')
          .update(chunk as Uint8Array)
          .digest(),
    })
  } finally {
    await handle.close()
  }
}

function readHandle(handle: FileHandle, sizeBytes: number): UploadSource {
  return {
    sizeBytes,
    async read(from, to) {
      const bytes = new Uint8Array(to - from)
      for (let filled = 0; filled < bytes.length; ) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled)
        if (bytesRead === 0) throw new Error('The file became shorter while it was sent.')
        filled += bytesRead
      }
      return bytes
    },
  }
}

export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) hash.update(chunk)
  return hash.digest('hex')
}
