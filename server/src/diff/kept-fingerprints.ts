import { decodeFingerprints, type FingerprintSet, frameBytes } from '@nmp/formats/diff/fingerprints'
import type { EpisodeFrames } from '@nmp/formats/diff/trims'
import type { Context } from '../context.ts'
import { fingerprintFile, fingerprintsFolder, frameFile } from '../datasets/fingerprints.ts'
import { locateFiles, type RevisionPlace } from '../datasets/revision-content.ts'
import { ServiceError } from '../errors.ts'
import { locatePictures } from '../media/kept-pictures.ts'
import { findSoundBlob } from '../storage/blobs.ts'
import type { BlobOwner, BlobReference } from '../storage/repository.ts'

type Source = Pick<Context, 'db' | 'storage'>

/** What is stored of a revision's episodes, frames read when they are asked for. */
export interface KeptFingerprints {
  set: FingerprintSet
  readFrames(episodes: readonly number[]): Promise<EpisodeFrames[]>
}

/** Of one side: thirty million frames would be a quarter of a gigabyte. */
const mostFrameBytes = 64 * 1024 * 1024

/** Taken with its import, or by a run afterwards. Of a version, those of its own: none are taken from its source here. */
export async function findFingerprints(
  context: Source,
  revision: RevisionPlace,
): Promise<KeptFingerprints | undefined> {
  const made = locatePictures(revision)
  const places: { owner: BlobOwner; prefix: string }[] = [{ owner: made.owner, prefix: made.prefix }]
  if (!revision.content) places.unshift({ owner: locateFiles(revision).owner, prefix: '' })
  for (const { owner, prefix } of places) {
    const at = (file: string) => findSoundBlob(context.db, owner, `${prefix}${fingerprintsFolder}/${file}`)
    const [episodes, frames] = await Promise.all([at(fingerprintFile), at(frameFile)])
    if (episodes && frames) return open(context, episodes, frames)
  }
  return undefined
}

async function open(context: Source, episodes: BlobReference, frames: BlobReference): Promise<KeptFingerprints> {
  const bytes = new Uint8Array(episodes.sizeBytes)
  await readInto(context, episodes, bytes)
  const set = decodeFingerprints(bytes.buffer)
  return { set, readFrames: (wanted) => readFrames(context, set, frames, wanted) }
}

/** In one pass over the part of the file that holds them, up to a bound; those behind it are left out. */
async function readFrames(
  context: Source,
  { lengthFrames }: FingerprintSet,
  blob: BlobReference,
  wanted: readonly number[],
): Promise<EpisodeFrames[]> {
  const starts = new Float64Array(lengthFrames.length + 1)
  for (const [episode, length] of lengthFrames.entries())
    starts[episode + 1] = (starts[episode] as number) + frameBytes * length
  if (starts.at(-1) !== blob.sizeBytes) throw damaged()
  const chosen: EpisodeFrames[] = []
  let heldBytes = 0
  for (const episode of [...wanted].sort((one, other) => one - other)) {
    const count = lengthFrames[episode] as number
    heldBytes += count * frameBytes
    if (heldBytes > mostFrameBytes) break
    chosen.push({ episode, frames: new Uint32Array(2 * count) })
  }
  // Episodes that lie near each other are read together: one request costs more than some bytes too many.
  for (let first = 0; first < chosen.length; ) {
    let last = first
    const startOf = (place: number): number => starts[chosen[place]?.episode ?? 0] as number
    const endOf = (place: number): number => starts[(chosen[place]?.episode ?? 0) + 1] as number
    while (
      last + 1 < chosen.length &&
      startOf(last + 1) - endOf(last) < nearBytes &&
      endOf(last + 1) - startOf(first) < windowBytes
    )
      last++
    const window = new Uint8Array(endOf(last) - startOf(first))
    await readInto(context, blob, window, startOf(first))
    for (let place = first; place <= last; place++) {
      const from = startOf(place) - startOf(first)
      const numbers = (chosen[place] as EpisodeFrames).frames
      new Uint8Array(numbers.buffer).set(window.subarray(from, from + numbers.byteLength))
    }
    first = last + 1
  }
  return chosen
}

const nearBytes = 64 * 1024
const windowBytes = 8 * 1024 * 1024

async function readInto({ storage }: Source, blob: BlobReference, bytes: Uint8Array, start = 0): Promise<void> {
  if (bytes.byteLength === 0) return
  const range = { start, end: start + bytes.byteLength }
  const isWhole = bytes.byteLength === blob.sizeBytes
  const { body } = await storage.getObject(blob.storeKey, isWhole ? {} : { range })
  let at = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (at + chunk.byteLength > bytes.byteLength) throw damaged()
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  if (at !== bytes.byteLength) throw damaged()
}

const damaged = (): ServiceError =>
  new ServiceError('internal_error', 'The stored fingerprints of the episodes have another size than their frames.')
