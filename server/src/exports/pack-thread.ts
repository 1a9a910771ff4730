import { Worker } from 'node:worker_threads'
import type { PackAnswer, PackPart } from './pack-entry.ts'

/** What a tar is known by. */
export interface PackedTar {
  sha256: string
  sizeBytes: number
}

/** Goes through a tar beside the thread that asks for it, file after file, and keeps nothing of it but its checksum. */
export interface PackThread {
  /** Bytes so far. */
  readonly bytes: number
  add(part: Omit<PackPart, 'isLast'>): void
  finish(tail: Uint8Array): Promise<PackedTar>
  close(): Promise<void>
}

export function openPackThread(): PackThread {
  const thread = new Worker(new URL('./pack-entry.ts', import.meta.url))
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<PackedTar>()
  // Whoever waits for the tar learns of it.
  promise.catch(() => {})
  thread.on('message', (answer: PackAnswer) => {
    if ('error' in answer) reject(new Error(`The tar could not be read: ${answer.error}`))
    else if ('sha256' in answer) resolve(answer)
    else bytes = answer.bytes
  })
  thread.on('error', reject)
  thread.on('exit', () => reject(new Error('The thread that reads the tar ended early.')))
  const send = (part: PackPart) => thread.postMessage(part)
  return {
    get bytes() {
      return bytes
    },
    add: (part) => send({ ...part, isLast: false }),
    finish: (tail) => {
      send({ head: tail, sizeBytes: 0, isLast: true })
      return promise
    },
    // Also when it is over already: an abort and the end of the run may both close it.
    close: async () => {
      await thread.terminate()
    },
  }
}
