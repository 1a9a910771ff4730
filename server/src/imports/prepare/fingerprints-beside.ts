import { Worker } from 'node:worker_threads'
import type { Dataset } from '@nmp/formats/dataset'
import { removeFolder } from '@nmp/formats/remove-folder'
import { tryFingerprints, type WrittenFile } from '../../datasets/fingerprints.ts'
import type { FingerprintRequest } from './fingerprint-entry.ts'

/** A thread loads the readers anew, which is more work than the rows of a small dataset. */
const fewFrames = 10_000
const heapMegabytes = 1024

interface BegunFingerprints extends AsyncDisposable {
  /** None where they could not be taken. Of a small dataset they are taken when they are asked for. */
  finish(): Promise<WrittenFile[]>
}

/** Every row and packet is read once more for them: beside the thread that measures the rows. */
export function beginFingerprints(
  dataset: Dataset,
  request: FingerprintRequest,
  signal: AbortSignal,
): BegunFingerprints {
  if (dataset.frameCount < fewFrames)
    return { finish: () => tryFingerprints(dataset, request.folder, signal), [Symbol.asyncDispose]: async () => {} }
  const thread = new Worker(new URL('./fingerprint-entry.ts', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  const taken = Promise.withResolvers<WrittenFile[] | undefined>()
  thread.once('message', taken.resolve)
  thread.once('error', () => taken.resolve(undefined))
  thread.once('exit', () => taken.resolve(undefined))
  const stop = (): void => void thread.terminate()
  signal.addEventListener('abort', stop, { once: true })
  return {
    async finish() {
      const files = await taken.promise
      signal.throwIfAborted()
      if (!files) await removeFolder(request.folder)
      return files ?? []
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', stop)
      await thread.terminate()
    },
  }
}
