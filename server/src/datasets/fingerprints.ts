import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Dataset, ReportProgress } from '@nmp/formats/dataset'
import { encodeFingerprints } from '@nmp/formats/diff/fingerprints'
import { takeFingerprints } from '@nmp/formats/diff/take-fingerprints'
import { removeFolder } from '@nmp/formats/remove-folder'

/** Beside the dataset and the read model of a revision: what each episode is, by its content. The number is that of the form. */
export const fingerprintsFolder = 'fingerprints'
export const fingerprintFile = '1/episodes.bin'
export const frameFile = '1/frames.bin'

export interface WrittenFile {
  path: string
  sizeBytes: number
}

export interface FingerprintOptions {
  signal: AbortSignal
  onProgress?: ReportProgress
}

export async function writeFingerprints(
  dataset: Dataset,
  folder: string,
  { signal, onProgress }: FingerprintOptions,
): Promise<WrittenFile[]> {
  await mkdir(join(folder, '1'), { recursive: true })
  const frames = createWriteStream(join(folder, frameFile), { flush: true })
  const written = finished(frames)
  // Told when it is waited for below; until then nobody else does.
  written.catch(() => {})
  try {
    const set = await takeFingerprints(dataset, {
      signal,
      ...(onProgress && { onProgress }),
      writeFrames: async (numbers) => {
        const isTaken = frames.write(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
        if (!isTaken) await Promise.race([once(frames, 'drain'), written])
      },
    })
    frames.end()
    await written
    await writeFile(join(folder, fingerprintFile), encodeFingerprints(set), { flush: true })
  } finally {
    frames.destroy()
  }
  return Promise.all(
    [fingerprintFile, frameFile].map(async (path) => ({ path, sizeBytes: (await stat(join(folder, path))).size })),
  )
}

/** Beside an import, which does not fail for them. */
export async function tryFingerprints(dataset: Dataset, folder: string, signal: AbortSignal): Promise<WrittenFile[]> {
  try {
    return await writeFingerprints(dataset, folder, { signal })
  } catch {
    signal.throwIfAborted()
    await removeFolder(folder)
    return []
  }
}
