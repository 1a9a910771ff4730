/** HDF5 files, written by h5wasm in a child process that sees one folder (`write-entry.ts`). */
import { dirname } from 'node:path'
import { FormatError } from '../../errors.ts'
import { type Child, type ChildLimits, type ChildMessage, openInChild } from '../child/child.ts'
import type { Sandbox } from '../child/sandbox.ts'
import { requireSpace } from '../disk-space.ts'
import type { WriteStep } from './write-calls.ts'

export type { Hdf5Dtype, WriteStep } from './write-calls.ts'

/** A step, and the bytes of its rows. */
export interface Hdf5Write {
  readonly step: WriteStep
  readonly bytes?: Uint8Array
}

/** Writes what it is told in that order; memory does not grow with the file. */
export interface Hdf5Writer {
  write(steps: readonly Hdf5Write[]): Promise<void>
  /** What is written from here on can be taken back. */
  mark(): Promise<void>
  /** The file as it was at the mark. */
  rewind(): Promise<void>
  /** The size in bytes. */
  finish(): Promise<number>
  abandon(): Promise<void>
}

const entry = new URL('./write-entry.ts', import.meta.url)
const limits: Partial<ChildLimits> = {
  deadlineSeconds: 3600,
  idleSeconds: 120,
  memoryBytes: 1024 ** 3,
  fileBytes: 16 * 1024 ** 4,
}

const sandboxOfWriter = (folder: string): Sandbox => ({ reads: [], writes: [folder] })

/** Its process starts meanwhile: a file that cannot be made is refused at the first step. */
export function createHdf5File(path: string, signal: AbortSignal | undefined): Hdf5Writer {
  const folder = dirname(path)
  const child: Child = openInChild({
    ...{ entry, subject: 'the HDF5 file', unreadableCode: 'child_failed', limits, signal },
    sandbox: sandboxOfWriter(folder),
  })
  let queue: Promise<unknown> = Promise.resolve()

  /** Whoever asks first is served first; a full disk is told as such. */
  function ask(name: string, params: object, input?: readonly Hdf5Write[]): Promise<ChildMessage> {
    const work = async () => {
      try {
        const answers = child.call(name, params, input && send(input))
        for (;;) {
          const step = await answers.next()
          if (step.done) return step.value
        }
      } catch (error) {
        signal?.throwIfAborted()
        await requireSpace(folder)
        if (!(error instanceof FormatError)) throw error
        throw new FormatError('child_failed', `The HDF5 file could not be written: ${error.message}`, { cause: error })
      }
    }
    const turn = queue.then(work)
    queue = turn.catch(() => {})
    return turn
  }

  const made = ask('create', { path })
  made.catch(() => {})
  const askMade = async (name: string, input?: readonly Hdf5Write[]) => {
    await made
    return ask(name, {}, input)
  }
  return {
    write: async (steps) => void (await askMade('write', steps)),
    mark: async () => void (await askMade('mark')),
    rewind: async () => void (await askMade('rewind')),
    finish: async () => {
      const { head } = await askMade('finish')
      await child.close()
      return (head as { sizeBytes: number }).sizeBytes
    },
    abandon: () => child.close(),
  }
}

async function* send(steps: readonly Hdf5Write[]): AsyncGenerator<ChildMessage> {
  for (const { step, bytes } of steps) yield { head: step, ...(bytes && { body: bytes }) }
}
