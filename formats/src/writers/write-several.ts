import { type Codec, openCodec } from '../containers/codec/codec.ts'
import { SharedDecoding } from '../containers/codec/shared-decoding.ts'
import type { Dataset } from '../dataset.ts'
import { isCamera } from '../feature.ts'
import type { TargetSettings } from './target-options.ts'
import type { WriteOptions, WriteReport, Writer } from './writer.ts'

export interface TargetWish {
  readonly writer: Writer
  readonly folder: string
  readonly settings: TargetSettings
  /** Of this one, where whoever asks wants to know as they are finished. */
  readonly onFile?: WriteOptions['onFile']
}

const fewestProcesses = 4

/** Several targets of one dataset at the same time: what more than one of them needs as pictures is decoded once. The first failure ends all. */
export async function writeSeveral<Options extends WriteOptions>(
  dataset: Dataset,
  wishes: readonly TargetWish[],
  options: Options,
): Promise<WriteReport[]> {
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const cameraCount = dataset.features.filter(isCamera).length
  // An episode that the slowest ends, and the next one that the fastest begins.
  const maxProcesses = Math.max(fewestProcesses, 2 * cameraCount)
  await using opened = options.codec ? undefined : openCodec({ signal, maxProcesses })
  const codec = options.codec ?? (opened as Codec)
  const decoding = new SharedDecoding(codec)
  const members = wishes.map(({ writer, settings }) => {
    const form = writer.decodes?.(settings)
    return form && decoding.join(form)
  })
  const placed = withPlaces(dataset)
  const report = reportSlowest(wishes.length, options.onProgress)
  const ended = await Promise.allSettled(
    wishes.map(async ({ writer, folder, settings, onFile }, at) => {
      const codecOfOwn = members[at]?.codec ?? codec
      const own = { ...options, signal, settings, codec: codecOfOwn, onProgress: report(at), ...(onFile && { onFile }) }
      try {
        return await writer.write(placed, folder, own)
      } catch (error) {
        stop.abort(error)
        throw error
      } finally {
        members[at]?.leave()
      }
    }),
  )
  if (stop.signal.aborted) throw stop.signal.reason
  return ended.map((each) => (each as PromiseFulfilledResult<WriteReport>).value)
}

/** Cameras say which episode they are of, so that writers find what another one has begun to decode. */
const withPlaces = (dataset: Dataset): Dataset => ({
  ...dataset,
  getEpisode: (place) => {
    const episode = dataset.getEpisode(place)
    return {
      ...episode,
      openCamera: async (camera) => {
        const frames = await episode.openCamera(camera)
        return frames.kind === 'packets' ? { ...frames, place } : frames
      },
    }
  },
})

function reportSlowest(count: number, onProgress: WriteOptions['onProgress']) {
  const shares = new Array<number>(count).fill(0)
  return (at: number): NonNullable<WriteOptions['onProgress']> =>
    ({ phase, done, total }) => {
      shares[at] = done / Math.max(1, total)
      onProgress?.({ phase, done: Math.floor(Math.min(...shares) * total), total })
    }
}
