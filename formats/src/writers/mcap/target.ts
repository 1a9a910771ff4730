import { type CameraFeature, type Feature, isCamera } from '../../feature.ts'
import { estimatePicturesInRows, estimateVideo, listVideos } from '../estimate-parts.ts'
import { countRowBytes } from '../row-bytes.ts'
import { type OptionsSchema, readTargetOptions, type TargetSettings } from '../target-options.ts'
import type { Loss, TargetEstimate, TargetFacts, Writer } from '../writer.ts'
import type { Compression } from './episode-file.ts'
import { verifyMcap } from './verify.ts'
import { writeMcap } from './writer.ts'

const name = 'mcap'

const options: OptionsSchema = {
  video: {
    type: 'string',
    enum: ['copy', 'h264'],
    default: 'copy',
    description:
      'copy: the packets as they are, AV1 for most; video with B-frames, which Foxglove does not play, is encoded as H.264. h264: other codecs are encoded as H.264 too, for players without AV1; depth stays as it is.',
  },
  compression: {
    type: 'string',
    enum: ['none', 'zstd'],
    default: 'none',
    description: 'Of the chunks. Video does not become smaller; numbers and texts do, to about a half.',
  },
}

/** A message record, its index entry and timestamp. */
const messageBytes = 65
/** Schemas, channels and indices of a file. */
const episodeBytes = 5_500
/** What zstd leaves of messages without their packets. */
const zstdShare = 0.35

export const mcap: Writer = {
  name,
  artifactKey: name,
  title: 'MCAP',
  readers: 'Foxglove and whatever reads MCAP: signals as Protocol Buffers, cameras as foxglove.CompressedVideo.',
  options,
  listLosses,
  estimate,
  verify: verifyMcap,
  write: async (dataset, folder, { settings = readTargetOptions(mcap), ...writing } = {}) => {
    const requiredCodec = settings.video === 'h264' ? 'h264' : undefined
    const compression = settings.compression as Compression
    const report = await writeMcap(dataset, folder, { ...writing, requiredCodec, compression })
    return { ...report, losses: [...listLosses(dataset.features), ...report.losses] }
  },
}

function listLosses(features: readonly Feature[]): Loss[] {
  const depth = features.filter((feature): feature is CameraFeature => isCamera(feature) && feature.depth !== undefined)
  return depth.map((feature) => ({
    feature: feature.name,
    reason:
      'The depth codes are in the file, in the range that the metadata of the topic tells; Foxglove shows them as a grey picture, not as distances.',
  }))
}

function estimate(facts: TargetFacts, { video, compression }: TargetSettings): TargetEstimate {
  const { features, episodeCount, frameCount } = facts
  const packets = estimateVideo(facts, listVideos(facts), video === 'h264') + estimatePicturesInRows(facts)
  const messages = frameCount * (countRowBytes(features) + features.length * messageBytes)
  const share = compression === 'zstd' ? zstdShare : 1
  return {
    sizeBytes: Math.round(packets + messages * share + episodeCount * episodeBytes),
    fileCount: episodeCount,
  }
}
