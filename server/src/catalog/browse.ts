import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { listPublicDatasets } from '../datasets/service.ts'
import { invalidValue } from '../errors.ts'
import { cutPage, decodeCursor } from '../http/cursor.ts'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import { posterUrl } from '../media/urls.ts'
import {
  type BrowseFilter,
  countEntries,
  countFacet,
  facetNames,
  listEntries,
  sizeClasses,
  splitWords,
} from './repository.ts'

const filterText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }))

export const browseQuery = Type.Object({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  robot_type: filterText('Exactly this robot type.'),
  tag: filterText('With this tag.'),
  task: filterText('With exactly this task among the first twenty.'),
  size: Type.Optional(oneOf(sizeClasses, { description: 'By number of episodes.' })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'The `next_cursor` of the page before.' }),
  ),
})

const count = Type.Integer({ minimum: 0 })
const facet = Type.Array(Type.Object({ value: Type.String(), count }))

const catalogEntry = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    description: Type.String(),
    robot_type: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    tasks: Type.Array(Type.String()),
    total_episodes: count,
    total_frames: count,
    total_seconds: Type.Number(),
    total_tasks: count,
    fps: Type.Number(),
    camera_keys: Type.Array(Type.String()),
    camera_resolutions: Type.Array(Type.String()),
    size_bytes: count,
    source_kind: Type.String(),
    hf_repo_id: nullable(Type.String()),
    licence: nullable(Type.String()),
    length_histogram: Type.Array(count),
    poster_url: nullable(Type.String()),
    published_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { $id: 'CatalogEntry' },
)

export const browseReply = Type.Object({
  items: Type.Array(catalogEntry),
  next_cursor: nullable(Type.String()),
  total: nullable(Type.Integer({ description: 'Of all pages; with the first page only.' })),
  facets: nullable(Type.Object({ robot_type: facet, tag: facet, task: facet, size: facet })),
})

interface BrowseRequest {
  q?: string
  robot_type?: string
  tag?: string
  task?: string
  size?: string
  limit: number
  cursor?: string
}

export async function browse(context: Context, request: BrowseRequest) {
  const filter: BrowseFilter = {
    words: splitWords(request.q ?? '').slice(0, maxQueryWords),
    robotType: request.robot_type,
    tag: request.tag,
    task: request.task,
    size: request.size,
  }
  const after = readPlace(request.cursor)
  const [found, counts] = await Promise.all([
    listEntries(context.db, filter, request.limit + 1, after),
    after ? undefined : countAll(context, filter),
  ])
  const { rows, nextCursor } = cutPage(
    found,
    request.limit,
    ({ publishedAt, datasetId }) => `${publishedAt.toISOString()} ${datasetId}`,
  )
  const datasets = await listPublicDatasets(
    context.db,
    rows.map(({ datasetId }) => datasetId),
  )
  const items = rows.flatMap(({ datasetId, publishedAt }) => {
    const dataset = datasets.get(datasetId)
    return dataset ? [presentEntry(context, dataset, publishedAt)] : []
  })
  return { items, next_cursor: nextCursor, total: counts?.total ?? null, facets: counts?.facets ?? null }
}

type PublicDataset = Awaited<ReturnType<typeof listPublicDatasets>> extends Map<string, infer D> ? D : never

function presentEntry(context: Context, dataset: PublicDataset, publishedAt: Date) {
  const { revision } = dataset
  const { summary } = revision
  const camera = summary.camera_keys[0]
  return {
    id: dataset.id,
    org_slug: dataset.org_slug,
    slug: dataset.slug,
    title: dataset.title,
    description: dataset.description,
    robot_type: summary.robot_type,
    tags: dataset.tags,
    tasks: summary.tasks,
    total_episodes: summary.total_episodes,
    total_frames: summary.total_frames,
    total_seconds: summary.total_seconds,
    total_tasks: summary.total_tasks,
    fps: summary.fps,
    camera_keys: summary.camera_keys,
    camera_resolutions: summary.camera_resolutions,
    size_bytes: summary.size_bytes,
    source_kind: revision.source_kind,
    hf_repo_id: revision.hf_repo_id,
    licence: dataset.licence,
    length_histogram: summary.length_histogram,
    poster_url:
      camera === undefined ? null : posterUrl(context, { dataset, revision }, { episode: 0, camera, frame: 0 }),
    published_at: publishedAt.toISOString(),
    created_at: dataset.created_at.toISOString(),
    updated_at: dataset.updated_at.toISOString(),
  }
}

const maxQueryWords = 20
const facetLength = 20
const countsKeptMs = 10_000
const slowMs = 50
const maxCountsKept = 200

type Counts = Awaited<ReturnType<typeof countNow>>
const keptCounts = new WeakMap<object, Map<string, { until: number; counts: Counts }>>()

/** Counting looks at every entry that is left; where that takes long, a count is kept for some seconds. Pages are never old. */
async function countAll(context: Context, filter: BrowseFilter): Promise<Counts> {
  const kept = keptCounts.get(context.db) ?? new Map()
  keptCounts.set(context.db, kept)
  const key = JSON.stringify(filter)
  const known = kept.get(key)
  if (known && known.until > Date.now()) return known.counts
  const startedAt = Date.now()
  const counts = await countNow(context, filter)
  kept.delete(key)
  if (Date.now() - startedAt > slowMs) kept.set(key, { until: Date.now() + countsKeptMs, counts })
  const oldest = kept.keys().next().value
  if (kept.size > maxCountsKept && oldest !== undefined) kept.delete(oldest)
  return counts
}

async function countNow({ db }: Context, filter: BrowseFilter) {
  const total = await countEntries(db, filter)
  const facets = await Promise.all(facetNames.map((name) => countFacet(db, filter, name, facetLength)))
  const [robot_type = [], tag = [], task = [], size = []] = facets
  return { total, facets: { robot_type, tag, task, size } }
}

function readPlace(cursor: string | undefined): { publishedAt: Date; datasetId: string } | undefined {
  const place = decodeCursor(cursor)
  if (place === undefined) return undefined
  const [time = '', datasetId = ''] = place.split(' ')
  const publishedAt = new Date(time)
  if (Number.isNaN(publishedAt.getTime()) || datasetId === '')
    throw invalidValue(['query', 'cursor'], 'send the next_cursor of the page before, unchanged', cursor)
  return { publishedAt, datasetId }
}
