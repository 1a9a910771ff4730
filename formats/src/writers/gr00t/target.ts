import { createHash } from 'node:crypto'
import { type CameraFeature, type ColumnFeature, type Feature, isCamera, isColumn } from '../../feature.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { SignalRoles } from '../../signal-roles.ts'
import { estimatePicturesInRows } from '../estimate-parts.ts'
import { estimateV2, listV2Losses } from '../lerobot-v2/target.ts'
import { type WrittenDataset, writeV2 } from '../lerobot-v2/writer.ts'
import { bookkeepingFeatures } from '../lerobot-v3/schema.ts'
import { verifyByReading } from '../read-back.ts'
import { listScatteredSplits } from '../split-losses.ts'
import type { Loss, Writer } from '../writer.ts'
import { describeModality } from './modality.ts'

const name = 'gr00t'
/** stats.json and modality.json. */
const statsBytes = 5_000

/** LeRobot v2.1 in H.264, with what GR00T wants beside it. */
export const gr00t: Writer = {
  name,
  artifactKey: name,
  title: 'GR00T',
  readers: "NVIDIA Isaac GR00T's loader: LeRobot v2.1 with modality.json and stats.json.",
  options: {},
  listLosses,
  listOtherLosses: ({ splits }) => listScatteredSplits(splits),
  estimate: (facts) => {
    const rowsBytes = facts.rowsBytes - estimatePicturesInRows(facts)
    const { sizeBytes, fileCount } = estimateV2({ ...facts, rowsBytes, features: hold(facts.features) }, true)
    return { sizeBytes: sizeBytes + statsBytes, fileCount: fileCount + 2 }
  },
  verify: verifyByReading,
  write: async (dataset, folder, { settings: _, ...writing } = {}) => {
    const report = await writeV2({ ...dataset, features: hold(dataset.features) }, folder, {
      ...writing,
      requiredCodec: 'h264',
      isHeldInMemory: isFloat,
      describeMore: (written) => describeMore(written, dataset.roles),
    })
    return { ...report, losses: [...listLosses(dataset.features), ...report.losses] }
  },
}

const isFloat = ({ dtype }: ColumnFeature): boolean => dtype.startsWith('float')

const isDepth = (feature: Feature): boolean => isCamera(feature) && feature.depth !== undefined

const isInRows = (feature: Feature): feature is CameraFeature => isCamera(feature) && feature.storage === 'image'

/** Colour only, and as video: its loader passes over pictures that lie in the rows, and fails where it asks for their camera. */
const hold = (features: readonly Feature[]): Feature[] =>
  features
    .filter((feature) => !isDepth(feature))
    .map((feature) => (isInRows(feature) ? { ...feature, storage: 'video' } : feature))

function listLosses(features: readonly Feature[]): Loss[] {
  const depth = features.filter(isDepth)
  return [
    ...listV2Losses(features.filter((feature) => !isDepth(feature))),
    ...depth.map((feature) => ({ feature: feature.name, reason: "GR00T's loader reads colour pictures only." })),
  ]
}

const statisticKeys = ['mean', 'std', 'min', 'max', 'q01', 'q99'] as const

async function describeMore(
  written: WrittenDataset,
  roles: SignalRoles | undefined,
): Promise<ReadonlyMap<string, JsonValue>> {
  const { folder, dataFiles, frameCount, features, heldValues } = written
  const all = heldValues
    ? written.statistics.describeHeld(heldValues)
    : (await written.statistics.describeDataset(folder, dataFiles, frameCount, {})).statistics
  const floats = [...features, ...bookkeepingFeatures].filter(isColumn).filter(isFloat)
  const statistics: JsonObject = {}
  const fingerprints: JsonObject = {}
  for (const { name: feature, dtype, shape } of floats) {
    const values = all[feature] ?? {}
    statistics[feature] = Object.fromEntries(statisticKeys.map((key) => [key, values[key] as JsonValue]))
    // GR00T counts anew what it does not recognise by this.
    const schema = escapeLetters(JSON.stringify({ dtype, feature, shape }))
    fingerprints[feature] = `sha256:${createHash('sha256').update(schema).digest('hex')}`
  }
  return new Map([
    ['meta/modality.json', describeModality(features, roles)],
    ['meta/stats.json', { ...statistics, __fingerprints__: fingerprints }],
  ])
}

/** As Python writes JSON: letters beyond ASCII by their number. */
const escapeLetters = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
