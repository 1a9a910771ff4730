/** A thread that writes a tar: reading, hashing and writing go on while the worker computes what comes next. */
import { createHash } from 'node:crypto'
import { closeSync, fdatasync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

export interface PackPart {
  /** What stands before the file: its header, and what fills the block of the file before. */
  head: Uint8Array
  path?: string
  sizeBytes: number
  isLast: boolean
}

export type PackAnswer = { bytes: number } | { sha256: string; sizeBytes: number } | { error: string }

const bufferBytes = 1024 * 1024
/** The disk starts on these while the rest still comes: without it the last fsync waits for all of it. */
const flushBytes = 32 * 1024 * 1024

const tar = openSync(workerData as string, 'wx', 0o600)
const hash = createHash('sha256')
const buffer = Buffer.allocUnsafeSlow(bufferBytes)
let sizeBytes = 0
let flushedBytes = 0

const write = (bytes: Uint8Array): void => {
  hash.update(bytes)
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(tar, bytes, written)
  sizeBytes += bytes.byteLength
  if (sizeBytes - flushedBytes < flushBytes) return
  flushedBytes = sizeBytes
  // Only a beginning: the fsync at the end is the one that counts.
  fdatasync(tar, () => {})
  answer({ bytes: sizeBytes })
}

const copy = (path: string, expectedBytes: number): void => {
  const file = openSync(path, 'r')
  try {
    let copied = 0
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer)) {
      write(buffer.subarray(0, count))
      copied += count
    }
    if (copied !== expectedBytes) throw new Error(`a file of ${expectedBytes} bytes had ${copied} when it was packed`)
  } finally {
    closeSync(file)
  }
}

const answer = (message: PackAnswer): void => parentPort?.postMessage(message)

parentPort?.on('message', ({ head, path, sizeBytes: fileBytes, isLast }: PackPart) => {
  try {
    write(head)
    if (path !== undefined) copy(path, fileBytes)
    if (!isLast) return
    fsyncSync(tar)
    closeSync(tar)
    answer({ sha256: hash.digest('hex'), sizeBytes })
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
})
