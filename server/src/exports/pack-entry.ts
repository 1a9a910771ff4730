/** A thread that finds the checksum of a tar: reading and hashing go on while the worker computes what comes next. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

export interface PackPart {
  /** What stands before the file: its header, and what fills the block of the file before. */
  head: Uint8Array
  path?: string
  sizeBytes: number
  isLast: boolean
}

export type PackAnswer = { bytes: number } | { sha256: string; sizeBytes: number } | { error: string }

const bufferBytes = 1024 * 1024
/** How often it says how far it is. */
const toldBytes = 32 * 1024 * 1024

const hash = createHash('sha256')
const buffer = Buffer.allocUnsafeSlow(bufferBytes)
let sizeBytes = 0
let saidBytes = 0

const add = (bytes: Uint8Array): void => {
  hash.update(bytes)
  sizeBytes += bytes.byteLength
  if (sizeBytes - saidBytes < toldBytes) return
  saidBytes = sizeBytes
  answer({ bytes: sizeBytes })
}

const addFile = (path: string, expectedBytes: number): void => {
  const file = openSync(path, 'r')
  try {
    let read = 0
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer)) {
      add(buffer.subarray(0, count))
      read += count
    }
    if (read !== expectedBytes) throw new Error(`a file of ${expectedBytes} bytes had ${read} when it was packed`)
  } finally {
    closeSync(file)
  }
}

const answer = (message: PackAnswer): void => parentPort?.postMessage(message)

parentPort?.on('message', ({ head, path, sizeBytes: fileBytes, isLast }: PackPart) => {
  try {
    add(head)
    if (path !== undefined) addFile(path, fileBytes)
    if (!isLast) return
    answer({ sha256: hash.digest('hex'), sizeBytes })
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
})
