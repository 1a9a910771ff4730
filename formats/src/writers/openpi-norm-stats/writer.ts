import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import {
  type ColumnFeature,
  countValues,
  type Feature,
  isColumn,
  isNumericDtype,
  type NumericArray,
} from '../../feature.ts'
import { SplitTally } from '../../splits.ts'
import { addValues, createMoments, listDeviations, listFinite } from '../../statistics/moments.ts'
import { findExactQuantiles } from '../../statistics/quantiles.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { listSidecarLosses } from '../sidecar-losses.ts'
import { listPooledSplits } from '../split-losses.ts'
import { type OptionsSchema, readTargetOptions, type TargetSettings } from '../target-options.ts'
import type { Loss, WriteOptions, WriteReport, Writer } from '../writer.ts'
import { type ChunkPlan, readChunks } from './chunks.ts'

const name = 'openpi-norm-stats'
const probabilities = [0.01, 0.99]
const maxDimensions = 256
/** Of the four numbers of a dimension, as JSON. */
const dimensionBytes = 132

const options: OptionsSchema = {
  horizon: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 50,
    description: 'Actions of a chunk: action_horizon of the model that is trained.',
  },
  delta_mask: {
    type: 'array',
    items: { type: ['boolean', 'integer'] },
    maxItems: maxDimensions,
    default: [],
    description:
      'Dimensions of the action that are trained as distances from the state: true or false for each, or the numbers of make_bool_mask (6, -1: six distances, then one that is not). Dimensions that are not named are none.',
  },
  actions: { type: 'string', default: 'action', role: 'action', description: 'The feature that holds the actions.' },
  state: {
    type: 'string',
    default: 'observation.state',
    role: 'state',
    description: 'The feature that holds the state.',
  },
}

/** norm_stats.json as openpi's `scripts/compute_norm_stats.py` writes it, but of all frames and with exact quantiles. */
export const openpiNormStats: Writer = {
  name,
  artifactKey: name,
  title: 'openpi norm stats',
  readers: 'openpi, which normalises state and actions by them: assets/<config>/<asset id>/norm_stats.json.',
  options,
  listLosses,
  listOtherLosses: (contents) => [...listPooledSplits(contents.splits), ...listSidecarLosses(contents)],
  estimate: ({ features }, { actions, state }) => {
    const kept = features.filter(isColumn).filter(({ name }) => name === actions || name === state)
    const dimensions = kept.reduce((sum, { shape }) => sum + countValues(shape), 0)
    return { sizeBytes: dimensions * dimensionBytes, fileCount: 1 }
  },
  write,
}

function listLosses(features: readonly Feature[], settings: TargetSettings): Loss[] {
  const kept = [settings.actions, settings.state]
  return features
    .filter((feature) => !kept.includes(feature.name))
    .map((feature) => ({
      feature: feature.name,
      reason: 'norm_stats.json holds statistics of state and actions only.',
    }))
}

async function write(
  dataset: Dataset,
  folder: string,
  { signal, onProgress, onFile, settings = readTargetOptions(openpiNormStats, {}, dataset.roles) }: WriteOptions = {},
): Promise<WriteReport> {
  await requireEmptyFolder(folder)
  const plan = planChunks(dataset.features, settings)
  const readState = () => readColumn(dataset, plan.state, signal)
  const state = await describeValues(readState, plan.stateSize)
  onProgress?.({ phase: 'statistics', done: 1, total: 2 })
  const actions = await describeValues(() => readChunks(dataset, plan, signal), plan.actionSize)
  onProgress?.({ phase: 'statistics', done: 2, total: 2 })
  const text = JSON.stringify({ norm_stats: { state: state.described, actions: actions.described } }, null, 2)
  await writeFile(join(folder, 'norm_stats.json'), text, { flush: true })
  const file = { path: 'norm_stats.json', sizeBytes: Buffer.byteLength(text) }
  onFile?.(file)
  const notFinite = [
    ...(state.hasNotFinite ? [plan.state.name] : []),
    ...(actions.hasNotFinite ? [plan.actions.name] : []),
  ]
  const { episodeCount, frameCount, findings } = dataset
  const losses = [
    ...listLosses(dataset.features, settings),
    ...listPooledSplits(countSplits(dataset)),
    ...listSidecarLosses(dataset),
    ...notFinite.map((feature) => ({ feature, reason: 'NaN and infinite values take no part in the statistics.' })),
  ]
  return { episodeCount, frameCount, files: [file], findings, losses }
}

function countSplits(dataset: Dataset): SplitTally {
  const splits = new SplitTally()
  for (let position = 0; position < dataset.episodeCount; position++)
    splits.add(position, dataset.getEpisode(position).splits)
  return splits
}

function planChunks(features: readonly Feature[], settings: TargetSettings): ChunkPlan {
  const actions = getColumn(features, String(settings.actions), 'actions')
  const state = getColumn(features, String(settings.state), 'state')
  const [actionSize, stateSize] = [countValues(actions.shape), countValues(state.shape)]
  const isDelta = readMask(settings.delta_mask as readonly (boolean | number)[])
  if (isDelta.length > actionSize)
    throw new FormatError(
      'unsupported',
      `delta_mask names ${isDelta.length} dimensions, but ${actions.name} has ${actionSize}.`,
    )
  const beyond = isDelta.findIndex((isSet, dimension) => isSet && dimension >= stateSize)
  if (beyond >= 0)
    throw new FormatError(
      'unsupported',
      `delta_mask makes dimension ${beyond} a distance from the state, but ${state.name} has ${stateSize} dimensions.`,
    )
  return { actions, state, actionSize, stateSize, horizon: Number(settings.horizon), isDelta }
}

/** Truth values as they are; numbers as openpi's `make_bool_mask` reads them. */
function readMask(entries: readonly (boolean | number)[]): boolean[] {
  const mask = entries.flatMap((entry) =>
    typeof entry === 'boolean' ? [entry] : new Array<boolean>(Math.min(Math.abs(entry), maxDimensions)).fill(entry > 0),
  )
  if (new Set(entries.map((entry) => typeof entry)).size > 1 || mask.length > maxDimensions)
    throw new FormatError(
      'unsupported',
      `delta_mask is a list of truth values, or of numbers as of make_bool_mask, for at most ${maxDimensions} dimensions.`,
    )
  return mask
}

function getColumn(features: readonly Feature[], wanted: string, option: string): ColumnFeature {
  const column = features.filter(isColumn).find((feature) => feature.name === wanted)
  if (column && isNumericDtype(column.dtype)) return column
  const known = features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
  throw new FormatError(
    'unsupported',
    `The dataset has no numbers called "${wanted}"; set ${option} to one of ${known.map((feature) => feature.name).join(', ')}.`,
  )
}

async function* readColumn(
  dataset: Dataset,
  column: ColumnFeature,
  signal: AbortSignal | undefined,
): AsyncGenerator<NumericArray> {
  for (let position = 0; position < dataset.episodeCount; position++) {
    const request = { columns: [column.name], ...(signal && { signal }) }
    for await (const block of dataset.getEpisode(position).readBlocks(request))
      yield block.columns.get(column.name) as NumericArray
  }
}

async function describeValues(read: () => AsyncIterable<NumericArray>, size: number) {
  const moments = createMoments(size)
  for await (const values of read()) addValues(moments, values, values.length / size)
  const quantiles = await findExactQuantiles(read, size, probabilities)
  const described = {
    mean: listFinite(moments.mean),
    std: listDeviations(moments),
    q01: quantiles.map(([low = 0]) => low),
    q99: quantiles.map(([, high = 0]) => high),
  }
  return { described, hasNotFinite: moments.notFiniteCount > 0 }
}
