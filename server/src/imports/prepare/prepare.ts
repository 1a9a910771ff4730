import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { type Codec, openCodec } from '@nmp/formats/codec'
import type { Dataset, ReportProgress, StatedFacts } from '@nmp/formats/dataset'
import { FormatError, NoEpisodesError } from '@nmp/formats/errors'
import { isColumn } from '@nmp/formats/feature'
import { type FileTree, openFolder } from '@nmp/formats/file-tree'
import { Findings } from '@nmp/formats/finding'
import { listFound } from '@nmp/formats/found-episodes'
import { inspectHdf5Tree } from '@nmp/formats/inspect/hdf5-summary'
import { findLayout, openDataset } from '@nmp/formats/layouts'
import type { OpenOptions } from '@nmp/formats/layouts/layout'
import { write } from '@nmp/formats/lerobot/writer'
import { resolveRoles, type SignalRoles, withRoles } from '@nmp/formats/signal-roles'
import type { CountedSplit } from '@nmp/formats/splits'
import { checkNumbers, checksFile, type NumbersOutcome, startNumbers } from '../../checks/import-numbers.ts'
import { fingerprintsFolder } from '../../datasets/fingerprints.ts'
import { buildReadModel } from '../../datasets/read-model/build.ts'
import type { RevisionSummary } from '../../datasets/revision-summary.ts'
import { expandArchives, findDatasetRoot } from '../archives/expand.ts'
import type { ImportOptions } from '../request.ts'
import { keepFilesBeside } from './files-beside.ts'
import { beginFingerprints } from './fingerprints-beside.ts'
import { boundSummary } from './hdf5-bound.ts'
import type { Learned, PrepareHooks } from './prepare-hooks.ts'
import { makePreviews, type PreviewFile } from './previews.ts'
import { readSourceCard } from './source-card.ts'
import { verifyDataset } from './verify.ts'

export interface PrepareRequest {
  /** All that was brought in, archives too; they are replaced by what they hold. */
  topFolder: string
  /** Empty; `dataset`, `read-model` and `previews` appear in it. */
  targetFolder: string
  options: ImportOptions
  maxHdf5Bytes: number
  /** Of what archives hold. */
  maxUnpackedBytes: number
  /** Of the checks, as they are set for the dataset. */
  cutOffs: Record<string, number>
  /** Which columns are state and action, as it is set for the dataset. */
  roles?: SignalRoles | undefined
}

export interface EpisodeOutcome {
  episodeIndex: number
  sourceIndex: number
  sourceId: string
  length: number
}

export interface Prepared extends Omit<Learned, 'found'> {
  card: DatasetCard | null
  fps: number
  robotType: string | null
  episodeCount: number
  frameCount: number
  episodes: EpisodeOutcome[]
  splits: readonly CountedSplit[]
  datasetFiles: { path: string; sizeBytes: number }[]
  readModelFiles: { path: string; sizeBytes: number }[]
  /** None where they could not be taken: whoever asks for them then has them made. */
  fingerprintFiles: { path: string; sizeBytes: number }[]
  summary: RevisionSummary
  previews: PreviewFile[]
  checks: NumbersOutcome
}

/** More than a report lists; the rest is only counted. */
const mostEpisodes = 200_000

/** Of a source, as it came and unpacked. */
const mostFiles = 500_000

/** What finding the episodes takes of the time that converting them takes. */
const openingShare = 0.05

/** From a folder of files to a canonical dataset, its previews and its read model. Touches no database and no storage. */
export async function prepareRevision(request: PrepareRequest, hooks: PrepareHooks): Promise<Prepared> {
  try {
    return await prepare(request, hooks)
  } catch (error) {
    if (error instanceof NoEpisodesError) {
      const { findings, episodes, episodeCount } = error
      hooks.onLearned({ findings, found: { episodes, count: episodeCount } })
    }
    throw error
  }
}

async function prepare(request: PrepareRequest, hooks: PrepareHooks): Promise<Prepared> {
  const { signal } = hooks
  const sourceFolder = await openRoot(request, hooks)
  const tree = tellReading(await openFolder(sourceFolder, { links: 'anywhere' }), hooks)
  hooks.onPhase('detect')
  const layout = await findLayout(tree)
  hooks.onPhase('inspect')
  const isLeRobot = layout?.name.startsWith('lerobot') ?? false
  const hdf5 = isLeRobot ? null : await inspectHdf5(tree, request, hooks)

  hooks.onPhase('convert')
  const onProgress: ReportProgress = ({ done, total }) => hooks.onProgress(done * openingShare, total)
  await using source = await openDataset(tree, { ...readOptions(request.options), signal, onProgress })
  const origin = { ...source.origin, details: { ...source.origin.details } }
  const found = { episodes: listFound(source), count: source.episodeCount }
  const said = new Findings()
  const card = await readSourceCard({ sourceFolder, topFolder: request.topFolder }, said)
  hooks.onLearned({ origin, findings: [...said.list, ...source.findings], found })
  const datasetFolder = join(request.targetFolder, 'dataset')
  await using codec = openCodec({ signal })
  const episodes: EpisodeOutcome[] = []
  const written = await write(source, datasetFolder, {
    signal,
    codec,
    keepFilesBy: 'link',
    comparesStated: true,
    ...(request.options.video_codec ? { videoCodec: request.options.video_codec } : {}),
    onProgress: ({ done, total }) =>
      hooks.onProgress(
        total * openingShare + done * (1 - openingShare),
        total,
        `${done} of ${total} episodes are written.`,
      ),
    onEpisode: ({ episodeIndex, sourceIndex, sourceId, length }) => {
      // A second pass begins at episode 0 again, when files that were to be kept turn out to be unusable.
      if (episodeIndex === 0) episodes.length = 0
      if (episodes.length < mostEpisodes) episodes.push({ episodeIndex, sourceIndex, sourceId, length })
    },
  })
  const findings = [...said.list, ...written.findings]
  hooks.onLearned({ findings })

  hooks.onPhase('verify')
  await using dataset = await openDataset(await openFolder(datasetFolder, { links: 'anywhere' }), { signal })
  await verifyDataset(dataset, written, hooks)

  // Encoders are processes of their own: they work while this one measures every episode.
  await using shown = await beginPreviews(dataset, codec, request, hooks)

  const fingerprints = { datasetFolder, folder: join(request.targetFolder, fingerprintsFolder) }
  await using known = beginFingerprints(dataset, fingerprints, signal)

  hooks.onPhase('read_model')
  const missing = new Findings()
  const roles = takeRoles(dataset, request.roles, missing)
  const numbers = startNumbers(request.cutOffs, signal)
  const built = await buildReadModel({
    datasetFolder,
    targetFolder: join(request.targetFolder, 'read-model'),
    roles,
    signal,
    watcher: numbers,
    onProgress: (done, total) => hooks.onProgress(done, total),
  })
  const checks = await checkNumbers({
    beside: numbers,
    dataset: withRoles(dataset, roles),
    folder: datasetFolder,
    path: join(request.targetFolder, checksFile),
    cutOffs: request.cutOffs,
    scale: built.motionScale,
    signal,
  })
  const fingerprintFiles = await known.finish()
  hooks.onProgress(1, 1, 'The previews are being made.')
  const previews = await shown.previews
  // Last: nothing that reads the dataset above is to stumble over them.
  const beside = await keepFilesBeside(tree, datasetFolder, written.files, isLeRobot)
  return {
    origin,
    hdf5,
    findings: [...findings, ...missing.list, ...beside.findings],
    card,
    fps: dataset.fps,
    robotType: dataset.robotType,
    episodeCount: written.episodeCount,
    frameCount: written.frameCount,
    episodes,
    splits: written.splits,
    datasetFiles: [...written.files, ...beside.files],
    readModelFiles: built.files,
    fingerprintFiles,
    summary: { ...built.summary, ...describeStated(source.stated) },
    previews,
    checks,
  }
}

/** Whoever is done with the dataset, well or not, is done with its previews: nobody reads files that are closed. */
async function beginPreviews(dataset: Dataset, codec: Codec, { targetFolder }: PrepareRequest, hooks: PrepareHooks) {
  hooks.onPhase('previews')
  const folder = join(targetFolder, 'previews')
  await mkdir(folder)
  const stop = new AbortController()
  const signal = AbortSignal.any([hooks.signal, stop.signal])
  const previews = makePreviews(dataset, codec, folder, { ...hooks, signal, onProgress: () => undefined })
  const ended = previews.catch(() => undefined)
  return {
    previews,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the import has failed'))
      await ended
    },
  }
}

/** Of the columns that are set as state and action, those that this revision has. */
function takeRoles(
  { features }: Dataset,
  wanted: SignalRoles | undefined,
  findings: Findings,
): SignalRoles | undefined {
  const { roles, missing } = resolveRoles(wanted, features.filter(isColumn))
  for (const name of missing) {
    const role = name === wanted?.state ? 'state' : 'action'
    findings.add('role-column-missing', `${name}, the column that is set as ${role}, is no row of numbers here.`)
  }
  return roles
}

/** Archives are unpacked beside what came as it is, and the dataset is looked for in all of it. */
async function openRoot({ topFolder, maxUnpackedBytes }: PrepareRequest, hooks: PrepareHooks): Promise<string> {
  let unpackedBytes = 0
  await expandArchives(topFolder, {
    signal: hooks.signal,
    maxBytes: maxUnpackedBytes,
    maxFiles: mostFiles,
    onBytes: (count) => {
      unpackedBytes += count
      hooks.onUnpacking(unpackedBytes)
    },
  })
  return findDatasetRoot(topFolder, 2 * mostFiles)
}

function tellReading(tree: FileTree, hooks: PrepareHooks): FileTree {
  return {
    ...tree,
    locate: (path) => {
      hooks.onReading(path)
      return tree.locate(path)
    },
    open: (path) => {
      hooks.onReading(path)
      return tree.open(path)
    },
  }
}

const describeStated = ({ workName, embodiment, robotDescriptionUri }: StatedFacts = {}) => ({
  work_name: workName ?? null,
  embodiment: embodiment ?? null,
  robot_description_uri: robotDescriptionUri ?? null,
})

async function inspectHdf5(tree: FileTree, { maxHdf5Bytes }: PrepareRequest, hooks: PrepareHooks) {
  const { signal } = hooks
  const isOne = (await tree.list()).length === 1
  const onProgress: ReportProgress = ({ done, total }) => hooks.onProgress(done, total)
  const summary = await inspectHdf5Tree(tree, { maxBytes: maxHdf5Bytes, signal, onProgress }, isOne)
  const hdf5 = boundSummary(summary)
  // A tree without any HDF5 file is no HDF5 source; what it lacks is said when it is opened.
  if (summary.size_bytes === 0 && !summary.inspected) return null
  hooks.onLearned({ hdf5 })
  if (summary.size_bytes !== null && summary.size_bytes > maxHdf5Bytes)
    throw new FormatError('limit_exceeded', `${summary.reason} Split the source into several imports.`)
  return hdf5
}

function readOptions(options: ImportOptions): OpenOptions {
  const { fps, color_order: colorOrder, flip_vertical: flipVertical, task } = options
  return {
    ...(fps ? { fps } : {}),
    ...(colorOrder ? { colorOrder } : {}),
    ...(flipVertical === undefined || flipVertical === null ? {} : { flipVertical }),
    ...(task ? { task } : {}),
  }
}
