import { FormatError } from '../../errors.ts'
import { type CameraFeature, type Feature, isCamera, isColumn } from '../../feature.ts'
import { estimateFrames, estimatePicturesInRows, listVideos } from '../estimate-parts.ts'
import { countRowBytes } from '../row-bytes.ts'
import { listSecondSplits } from '../split-losses.ts'
import { type OptionsSchema, readTargetOptions, type TargetSettings } from '../target-options.ts'
import type { Loss, TargetEstimate, TargetFacts, Writer } from '../writer.ts'
import type { ImageFormat } from './step-features.ts'
import { verifyRlds } from './verify.ts'
import { writeRlds } from './writer.ts'

const key = 'rlds'
const mebibyte = 1024 * 1024

const options: OptionsSchema = {
  name: {
    type: 'string',
    maxLength: 64,
    default: 'nmp_dataset',
    description: 'What TensorFlow Datasets calls it: lower-case letters, digits and underscores.',
  },
  images: {
    type: 'string',
    enum: ['jpeg', 'png'],
    default: 'jpeg',
    description: 'How frames of video are kept. png: every pixel as it was decoded, five to ten times as large.',
  },
  shard_mb: {
    type: 'integer',
    minimum: 1,
    maximum: 4096,
    default: 256,
    description: 'MiB of a shard at most; a longer episode is a shard of its own.',
  },
}

/** Bytes a pixel, about, where no frame was tried. */
const bytesPerPixel = { jpeg: 0.3, png: 1.6 } as const

/** Of a step: its instruction, reward, discount and flags. */
const stepBytes = 60
/** features.json and dataset_info.json. */
const describedBytes = 6_000

/** RLDS as TensorFlow Datasets keeps it: TFRecord shards whose records are episodes. */
export const rlds: Writer = {
  name: key,
  artifactKey: key,
  title: 'RLDS',
  readers: 'OpenVLA, Octo and others of Open X-Embodiment: tensorflow_datasets.builder_from_directory.',
  options,
  listLosses,
  listOtherLosses: ({ splits }) => listSecondSplits(splits),
  estimate,
  verify: verifyRlds,
  decodes: ({ images }) => (images === 'jpeg' ? 'jpeg' : 'pixels'),
  write: async (dataset, folder, { settings = readTargetOptions(rlds), ...writing } = {}) => {
    const name = requireName(String(settings.name))
    const format = settings.images as ImageFormat
    const shardBytes = Number(settings.shard_mb) * mebibyte
    const report = await writeRlds(dataset, folder, { ...writing, name, format, shardBytes })
    return { ...report, losses: [...listLosses(dataset.features), ...report.losses] }
  },
}

function requireName(name: string): string {
  if (/^[a-z][a-z0-9_]*$/.test(name)) return name
  throw new FormatError(
    'unsupported',
    `The option name of rlds must be lower-case letters, digits and underscores, not "${name}".`,
  )
}

const isDepth = (feature: Feature): feature is CameraFeature => isCamera(feature) && feature.depth !== undefined

function listLosses(features: readonly Feature[]): Loss[] {
  const rewards = features.filter(isColumn).filter(({ name, dtype }) => name === 'next.reward' && dtype === 'float64')
  return [
    ...rewards.map(({ name }) => ({ feature: name, reason: 'Rewards of RLDS have 32 bits.' })),
    ...features.filter(isDepth).map(({ name }) => ({
      feature: name,
      reason: 'Kept as the codes of 16 bits that it is stored as; features.json says how they become distances.',
    })),
  ]
}

function estimate(facts: TargetFacts, settings: TargetSettings): TargetEstimate {
  const { features, episodeCount, frameCount } = facts
  const as = settings.images as ImageFormat
  const pictures = listVideos(facts).reduce(
    (sum, camera) => sum + estimateFrames(facts, camera, { as }, bytesPerPixel[as]),
    estimatePicturesInRows(facts),
  )
  const rows = frameCount * (countRowBytes(features) + stepBytes)
  const sizeBytes = Math.round(rows + pictures + describedBytes)
  const shards = Math.ceil(sizeBytes / (Number(settings.shard_mb) * mebibyte))
  return { sizeBytes, fileCount: 2 + Math.max(1, Math.min(episodeCount, shards)) }
}
