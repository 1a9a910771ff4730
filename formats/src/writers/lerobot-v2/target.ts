import { type Feature, isCamera } from '../../feature.ts'
import { estimateEpisodeStats, estimateVideo, listVideos } from '../estimate-parts.ts'
import { verifyByReading } from '../read-back.ts'
import { listScatteredSplits } from '../split-losses.ts'
import { type OptionsSchema, readTargetOptions } from '../target-options.ts'
import type { Loss, TargetEstimate, TargetFacts, Writer } from '../writer.ts'
import { isHeld, writeV2 } from './writer.ts'

const name = 'lerobot-v2.1'

const options: OptionsSchema = {
  video: {
    type: 'string',
    enum: ['copy', 'h264'],
    default: 'copy',
    description:
      'copy: the packets as they are, AV1 for most. h264: other codecs are encoded as H.264, for readers without AV1; depth stays as it is.',
  },
}

/** What a Parquet file of its own for every episode takes more than rows of several in one, and an MP4. */
const [tableBytes, filmBytes] = [500, 600]
/** info.json, tasks, the list of episodes. */
const metaBytes = 4_500

export const lerobotV2: Writer = {
  name,
  artifactKey: name,
  title: 'LeRobot v2.1',
  readers: 'lerobot up to 0.3.3, openpi (which pins a commit of it) and other tools that expect a file per episode.',
  options,
  listLosses: listV2Losses,
  listOtherLosses: ({ splits }) => listScatteredSplits(splits),
  estimate: (facts, settings) => estimateV2(facts, settings.video === 'h264'),
  verify: verifyByReading,
  write: async (dataset, folder, { settings = readTargetOptions(lerobotV2), ...writing } = {}) => {
    const requiredCodec = settings.video === 'h264' ? 'h264' : undefined
    const report = await writeV2(dataset, folder, { ...writing, requiredCodec })
    return { ...report, losses: [...listV2Losses(dataset.features), ...report.losses] }
  },
}

export function listV2Losses(features: readonly Feature[]): Loss[] {
  const language = features.filter((feature) => !isHeld(feature))
  const depth = features.filter((feature) => isCamera(feature) && feature.depth !== undefined)
  return [
    ...language.map((feature) => ({
      feature: feature.name,
      reason: 'LeRobot v2.1 has no language columns; its loader fails on them.',
    })),
    ...depth.map((feature) => ({
      feature: feature.name,
      reason: 'The 12-bit depth is in the file, but loaders of v2.1 read it as a grey picture of 8 bits.',
    })),
  ]
}

export function estimateV2(facts: TargetFacts, isEncoded: boolean): TargetEstimate {
  const { episodeCount, rowsBytes } = facts
  const videos = listVideos(facts)
  const ofEpisode = tableBytes + videos.length * filmBytes + estimateEpisodeStats(facts)
  return {
    sizeBytes: Math.round(rowsBytes + estimateVideo(facts, videos, isEncoded) + episodeCount * ofEpisode + metaBytes),
    fileCount: 4 + episodeCount * (1 + videos.length),
  }
}
