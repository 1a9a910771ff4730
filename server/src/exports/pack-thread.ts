import { Worker } from 'node:worker_threads'
import type { PackAnswer, PackPart } from './pack-entry.ts'

export interface WrittenTar {
  sha256: string
  sizeBytes: number
}

/** Writes a tar beside the thread that asks for it, file after file; `finish` has it on the disk. */
export interface PackThread {
  /** Bytes so far. */
  readonly bytes: number
  add(part: Omit<PackPart, 'isLast'>): void
  finish(tail: Uint8Array): Promise<WrittenTar>
  close(): Promise<void>
}

export function openPackThread(path: string): PackThread {
  const thread = new Worker(new URL('./pack-entry.ts', import.meta.url), { workerData: path })
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<WrittenTar>()
  // Whoever waits for the tar learns of it.
  promise.catch(() => {})
  thread.on('message', (answer: PackAnswer) => {
    if ('error' in answer) reject(new Error(`The tar could not be written: ${answer.error}`))
    else if ('sha256' in answer) resolve(answer)
    else bytes = answer.bytes
  })
  thread.on('error', reject)
  thread.on('exit', () => reject(new Error('The thread that writes the tar ended early.')))
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
