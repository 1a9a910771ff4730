import type { JsonValue } from '@nmp/formats/json'
import type { Static } from 'typebox'
import type { Context } from '../context.ts'
import { listResolutions } from '../datasets/read-model/build.ts'
import type { ReadModelManifest, SignalEntry } from '../datasets/read-model/manifest.ts'
import type { EpisodeSort, ReadModel, SortOrder } from '../datasets/read-model/model.ts'
import type { MergedPart, SeenDataset } from '../datasets/seen-dataset.ts'
import { archiveUrl } from '../media/urls.ts'
import type { versionRecord } from '../versions/record.ts'
import type { episodePage, episodeRecord, featureStatistics, manifest, statistics } from './schemas.ts'

/** The API's words for what a read model and a dataset's row hold. */

export interface EpisodeRequest {
  offset: number
  limit: number
  q?: string
  split?: string
  sort: string
  order: SortOrder
}

export function presentEpisode(
  model: ReadModel,
  index: number,
  sources: readonly MergedPart[] | null = null,
): Static<typeof episodeRecord> {
  const { columns, manifest } = model
  const lengthFrames = columns.lengthFrames[index] as number
  const fromIndex = columns.fromIndex[index] as number
  return {
    episode_index: index,
    length_frames: lengthFrames,
    duration_sec: lengthFrames / manifest.fps,
    dataset_from_index: fromIndex,
    dataset_to_index: fromIndex + lengthFrames,
    tasks: model.listTasksOf(index),
    camera_keys: model.cameraKeys,
    splits: model.listSplitsOf(index),
    source_index: columns.sourceIndex[index] as number,
    ...(sources && tellSource(sources, index, columns.sourceIndex[index] as number)),
    motion: columns.motion?.[index] ?? null,
    variance: columns.variance?.[index] ?? null,
    still_sec: columns.stillSeconds?.[index] ?? null,
  }
}

/** Which of several sources an episode is from: theirs follow each other. */
function tellSource(sources: readonly MergedPart[], index: number, episode: number) {
  let [place, before] = [0, 0]
  for (; place < sources.length - 1; place++) {
    const { episodeCount } = sources[place] as MergedPart
    if (index < before + episodeCount) break
    before += episodeCount
  }
  return {
    source_index: place,
    source_episode_index: episode,
    source_dataset_id: sources[place]?.datasetId ?? null,
    source_revision: sources[place]?.revision ?? null,
  }
}

export function presentPage(
  model: ReadModel,
  { offset, limit, q, split, sort, order }: EpisodeRequest,
  sources: readonly MergedPart[] | null = null,
): Static<typeof episodePage> {
  const { total, indices } = model.listEpisodes({ offset, limit, q, split, sort: sort as EpisodeSort, order })
  return { offset, limit, total, items: indices.map((index) => presentEpisode(model, index, sources)) }
}

export function presentStatistics({ manifest }: ReadModel): Static<typeof statistics> {
  return {
    codebase_version: manifest.codebase_version,
    total_cameras: manifest.cameras.length,
    camera_resolutions: listResolutions(manifest),
    ...manifest.statistics,
    exact: true,
    sample_size: manifest.total_episodes,
  }
}

export function presentManifest(
  context: Context,
  seen: SeenDataset,
  model: ReadModel,
  request: EpisodeRequest,
  version: Static<typeof versionRecord> | null = null,
): Static<typeof manifest> {
  const { dataset, revision } = seen
  const { manifest: stored } = model
  const { fps } = stored
  const annotationKeys = [...stored.annotation_keys, ...dataset.annotationKeys]
  const withRate = (signal: SignalEntry | null) => signal && { ...signal, fps }
  const isMembers = seen.role !== null && version === null
  const isDismissed = dataset.lossesDismissedRevisionId === revision.id
  return {
    id: dataset.id,
    slug: dataset.slug,
    title: dataset.title,
    description: dataset.description,
    source: presentSource(context, seen),
    observation: {
      camera_count: stored.cameras.length,
      cameras: stored.cameras.map(({ storage: _, ...camera }) => camera),
      state: withRate(stored.state),
    },
    annotation: { available: annotationKeys.length > 0, keys: annotationKeys },
    metrics: {
      total_episodes: stored.total_episodes,
      total_frames: stored.total_frames,
      fps,
      total_tasks: stored.total_tasks,
      split_names: stored.split_names,
      codebase_version: stored.codebase_version,
    },
    episode_page: presentPage(model, request, seen.derived?.sources),
    schema_version: '1.0.0',
    kind: 'dataset_manifest',
    work_name: dataset.workName,
    task_name: dataset.taskName,
    robot_type: dataset.robotType,
    embodiment: dataset.embodiment,
    robot_description_uri: dataset.robotDescriptionUri,
    tags: dataset.tags,
    modalities: listModalities(stored),
    action: withRate(stored.action),
    statistics: presentStatistics(model),
    export_artifacts: listArtifacts(context, seen),
    org_slug: seen.org.slug,
    project_slug: seen.project.slug,
    visibility: dataset.visibility,
    role: seen.role,
    revision_id: revision.id,
    revision_number: revision.number,
    source_layout: stored.origin.layout,
    source_version: stored.origin.version,
    hf_revision: revision.hfRevision,
    size_bytes: model.isDerived ? revision.summary.size_bytes : stored.size_bytes,
    size_is_estimated: model.isDerived,
    derived_version: version,
    import_losses: isMembers && !isDismissed ? (revision.summary.losses ?? null) : null,
    import_id: isMembers ? revision.importId : null,
    tasks: stored.tasks,
    splits: model.countSplits().map(({ name, episodeCount }) => ({ name, episode_count: episodeCount })),
    licence: dataset.licence,
    citation: dataset.citation,
    card_markdown: dataset.cardMarkdown,
    language: dataset.language,
    edited_fields: dataset.editedFields,
    published_at: dataset.publishedAt?.toISOString() ?? null,
    created_at: dataset.createdAt.toISOString(),
    updated_at: dataset.updatedAt.toISOString(),
  }
}

const sourceLabels: Record<string, string> = { huggingface: 'Hugging Face', hdf5: 'HDF5', lerobot: 'LeRobot' }

function presentSource({ config }: Context, { revision, derived }: SeenDataset) {
  if (derived)
    return {
      provider: 'nmp',
      source_label: `Derived from ${derived.title}`,
      source_locator: `${derived.datasetId}@revision-${derived.revisionNumber}`,
      source_url: null,
      hf_repo_id: null,
    }
  const { sourceKind, sourceUri, hfRepoId, hfRevision, importId } = revision
  const isAddress = /^https?:\/\//.test(sourceUri ?? '')
  const isHub = sourceKind === 'huggingface' && hfRepoId !== null
  const atRevision = hfRevision === null ? '' : `/tree/${hfRevision}`
  return {
    provider: isHub ? 'huggingface' : isAddress ? 'url' : 'upload',
    source_label: sourceLabels[sourceKind] ?? sourceKind,
    source_locator: isHub ? `${hfRepoId}${hfRevision === null ? '' : `@${hfRevision}`}` : (sourceUri ?? importId ?? ''),
    source_url: isHub ? `${config.NMP_HF_ENDPOINT}/datasets/${hfRepoId}${atRevision}` : isAddress ? sourceUri : null,
    hf_repo_id: hfRepoId,
  }
}

function listModalities({ cameras, state, action, annotation_keys }: ReadModelManifest): string[] {
  const found: [string, boolean][] = [
    ['video', cameras.some(({ storage }) => storage === 'video')],
    ['image', cameras.some(({ storage }) => storage === 'image')],
    ['depth', cameras.some(({ depth_map }) => depth_map)],
    ['state', state !== null],
    ['action', action !== null],
    ['language', annotation_keys.length > 0],
  ]
  return found.flatMap(([name, isThere]) => (isThere ? [name] : []))
}

function listArtifacts(context: Context, seen: SeenDataset) {
  const { dataset, derived } = seen
  const status = derived?.filesStatus ?? 'ready'
  return [
    {
      key: 'lerobot',
      label: 'LeRobot v3 dataset',
      kind: 'archive',
      access: dataset.visibility,
      href: archiveUrl(context, seen),
      description: 'The stored dataset as one .tar; downloads can be resumed with Range.',
      status,
    },
    {
      key: 'files',
      label: 'Files of the dataset',
      kind: 'file_list',
      access: dataset.visibility,
      href: `${context.publicUrl}/api/v1/catalog/datasets/${dataset.id}/files`,
      description: 'Every file with its size, sha256 and address.',
      status,
    },
  ]
}

const statisticKeys = ['min', 'max', 'mean', 'std', 'q01', 'q10', 'q50', 'q90', 'q99'] as const

/** `measured` stands for what a stored read model holds, where it is a derived one. */
export function presentFeatureStatistics(
  { manifest }: ReadModel,
  measured: Record<string, JsonValue | undefined> = manifest.feature_statistics,
): Static<typeof featureStatistics> {
  const cameraKeys = new Set(manifest.cameras.map(({ key }) => key))
  const described = new Map(manifest.features.map((feature) => [feature.name, feature]))
  const features = Object.entries(measured).map(([name, stored]) => {
    const values = (stored ?? {}) as Record<string, JsonValue | undefined>
    const { dtype = 'float32', shape = [1], names = null } = described.get(name) ?? bookkeeping(name)
    const numbers = Object.fromEntries(statisticKeys.map((key) => [key, flatten(values[key])]))
    return {
      name,
      dtype,
      shape: [...shape],
      names: names && [...names],
      sampled: cameraKeys.has(name),
      pending: stored === null,
      count: flatten(values.count)?.[0] ?? null,
      ...(numbers as Record<(typeof statisticKeys)[number], number[] | null>),
    }
  })
  return { codebase_version: manifest.codebase_version, features }
}

const bookkeeping = (name: string) => ({ dtype: name === 'timestamp' ? 'float32' : 'int64', shape: [1], names: null })

/** LeRobot shapes camera statistics as channels, 1, 1. */
function flatten(value: JsonValue | undefined): number[] | null {
  if (!Array.isArray(value)) return null
  return value.flat(3).filter((item) => typeof item === 'number')
}
