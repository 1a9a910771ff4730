import { FormatError } from '../errors.ts'
import { type Feature, isColumn } from '../feature.ts'

/** Bytes of a digest: half a SHA-256, more than any two recordings will ever share by chance. */
export const digestBytes = 16

/** What a feature is, as far as its content can be held against another one's. */
export interface FingerprintedFeature {
  name: string
  kind: 'column' | 'camera'
  /** Of a camera: `video` or `image`. */
  dtype: string
  shape: number[]
}

/**
 * What every episode of a dataset is, without its number: a digest of each feature's values or packets, and one of its tasks. Some
 * hundred bytes an episode, so that two datasets are held against each other without reading either.
 */
export interface FingerprintSet {
  fps: number
  features: FingerprintedFeature[]
  lengthFrames: Uint32Array
  /** Per feature, in the order of `features`: `digestBytes` an episode. */
  contents: Uint8Array[]
  /** `digestBytes` an episode: its tasks, and which frames each is of. */
  labels: Uint8Array
}

/** Two numbers a frame, in a file of their own: every column of its row, and the signal alone. Episodes follow each other. */
export const frameBytes = 8

export const describeFeature = (feature: Feature): FingerprintedFeature =>
  isColumn(feature)
    ? { name: feature.name, kind: 'column', dtype: feature.dtype, shape: [...feature.shape] }
    : {
        name: feature.name,
        kind: 'camera',
        dtype: feature.storage,
        shape: [feature.height, feature.width, feature.channels],
      }

/** Digests as numbers, four each: a key of `KeyTable`. */
export const wordsOf = (digests: Uint8Array): Uint32Array =>
  digests.byteOffset % 4 === 0
    ? new Uint32Array(digests.buffer, digests.byteOffset, digests.byteLength / 4)
    : new Uint32Array(Uint8Array.from(digests).buffer)

const magic = 'NMPFNGR1'
const preambleBytes = 16

/** Magic, length of the header, header (JSON), then lengths, labels and contents one after the other. Same set, same bytes. */
export function encodeFingerprints({ fps, features, lengthFrames, contents, labels }: FingerprintSet): Uint8Array {
  const header = Buffer.from(JSON.stringify({ fps, features, episode_count: lengthFrames.length }))
  const base = preambleBytes + Math.ceil(header.byteLength / 8) * 8
  const parts = [new Uint8Array(lengthFrames.buffer, lengthFrames.byteOffset, lengthFrames.byteLength), labels]
  const bytes = new Uint8Array([...parts, ...contents].reduce((end, part) => end + part.byteLength, base))
  bytes.set(Buffer.from(magic))
  new DataView(bytes.buffer).setUint32(8, header.byteLength, true)
  bytes.set(header, preambleBytes)
  let end = base
  for (const part of [...parts, ...contents]) {
    bytes.set(part, end)
    end += part.byteLength
  }
  return bytes
}

/** Views on the given bytes. */
export function decodeFingerprints(bytes: ArrayBuffer): FingerprintSet {
  if (bytes.byteLength < preambleBytes || Buffer.from(bytes, 0, magic.length).toString('latin1') !== magic)
    throw damaged()
  const headerBytes = new DataView(bytes).getUint32(8, true)
  const base = preambleBytes + Math.ceil(headerBytes / 8) * 8
  if (base > bytes.byteLength) throw damaged()
  const {
    fps,
    features,
    episode_count: count,
  } = JSON.parse(Buffer.from(bytes, preambleBytes, headerBytes).toString()) as {
    fps: number
    features: FingerprintedFeature[]
    episode_count: number
  }
  const perEpisode = 4 + digestBytes * (1 + features.length)
  if (base + count * perEpisode !== bytes.byteLength) throw damaged()
  const digestsAt = (place: number) =>
    new Uint8Array(bytes, base + count * (4 + digestBytes * place), count * digestBytes)
  return {
    fps,
    features,
    lengthFrames: new Uint32Array(bytes, base, count),
    labels: digestsAt(0),
    contents: features.map((_, place) => digestsAt(place + 1)),
  }
}

const damaged = (): FormatError =>
  new FormatError('container_invalid', 'The stored fingerprints cannot be used: they are not what their header says.')
