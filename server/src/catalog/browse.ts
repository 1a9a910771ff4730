import { type Static, Type } from 'typebox'
import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { listTasks, sizeClasses, splitWords } from '../datasets/listing/entry-words.ts'
import { showTasks } from '../datasets/revision-summary.ts'
import { workFields } from '../datasets/schemas.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { listPublicDatasets, toSeen } from '../datasets/service.ts'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import { posterUrl } from '../media/urls.ts'
import { countEntries } from './held-entries.ts'
import {
  type BrowseFilter,
  type BrowseSort,
  browseSorts,
  cameraClasses,
  type EntryPlace,
  facetNames,
  listEntries,
  measureNames,
} from './repository.ts'

const bound = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const wholeBound = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const filterText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }))

export const browseQuery = Type.Object({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  robot_type: filterText('Exactly this robot type.'),
  tag: filterText('With this tag.'),
  task: filterText('With exactly this task among the first twenty.'),
  size: Type.Optional(oneOf(sizeClasses, { description: 'By number of episodes.' })),
  cameras: Type.Optional(oneOf(cameraClasses, { description: 'By number of cameras.' })),
  source_kind: filterText(
    'Where it came from: `huggingface`, `hdf5` or `lerobot`; `version` for a copy of a version, `derived` for a published version.',
  ),
  min_seconds: bound('At least this much recorded.'),
  max_seconds: bound('At most this much recorded.'),
  min_bytes: wholeBound('At least this size.'),
  max_bytes: wholeBound('At most this size.'),
  min_episodes: wholeBound('At least this many episodes.'),
  max_episodes: wholeBound('At most this many episodes.'),
  sort: oneOf(browseSorts, {
    default: 'newest',
    description: 'Names from A to Z; everything else newest, longest or largest first.',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  counts: Type.Boolean({
    default: true,
    description:
      'Whether the first page comes with `total`, `totals`, `facets` and `histograms`; without, it waits for no count.',
  }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2000, description: 'The `next_cursor` of the previous page.' }),
  ),
})

const count = Type.Integer({ minimum: 0 })
const facet = Type.Array(Type.Object({ value: Type.String(), count }))
const histogram = Type.Array(Type.Object({ low: Type.Number(), high: Type.Number(), count }), {
  description: 'Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive.',
})

const catalogEntry = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    description: Type.String(),
    ...workFields,
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
    derived_from: nullable(
      Type.Object(
        { id: Type.String(), title: Type.String() },
        {
          description: 'For a derived version: its source, which need not be public. Null for a dataset.',
        },
      ),
    ),
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
  total: nullable(Type.Integer({ description: 'Over all pages; only sent with the first.' })),
  totals: nullable(
    Type.Object(
      { episodes: count, seconds: Type.Number(), bytes: count },
      { description: 'Over all pages; only sent with the first.' },
    ),
  ),
  facets: nullable(
    Type.Object({ robot_type: facet, tag: facet, task: facet, size: facet, cameras: facet, source_kind: facet }),
  ),
  histograms: nullable(Type.Object({ seconds: histogram, bytes: histogram, episodes: histogram })),
})

type BrowseRequest = Static<typeof browseQuery>

export async function browse(context: Context, request: BrowseRequest) {
  const filter: BrowseFilter = {
    words: splitWords(request.q ?? '').slice(0, maxQueryWords),
    facets: readFacets(request),
    ranges: readRanges(request),
  }
  const sort = request.sort as BrowseSort
  const after = readPlace(request.cursor, sort)
  const [found, counts] = await Promise.all([
    context.replica.read((db) => listEntries(db, filter, sort, request.limit + 1, after)),
    after || !request.counts ? undefined : countEntries(context, filter),
  ])
  const { rows, nextCursor } = catalogCursors(sort).cut(found, request.limit, ({ key, id }) =>
    [key instanceof Date ? key.toISOString() : key, id].join(' '),
  )
  // Of the server itself: what was withdrawn a second ago is shown to nobody.
  const shown = await listPublic(
    context,
    rows.map(({ id }) => id),
  )
  const items = rows.flatMap(({ id, publishedAt }) => {
    const seen = shown.get(id)
    return seen ? [presentEntry(context, seen, publishedAt)] : []
  })
  const { total = null, totals = null, facets = null, histograms = null } = counts ?? {}
  return { items, next_cursor: nextCursor, total, totals, facets, histograms }
}

function readFacets(request: BrowseRequest): BrowseFilter['facets'] {
  const facets: BrowseFilter['facets'] = {}
  for (const name of facetNames) if (request[name] !== undefined) facets[name] = request[name]
  return facets
}

function readRanges(request: BrowseRequest): BrowseFilter['ranges'] {
  const ranges: BrowseFilter['ranges'] = {}
  for (const name of measureNames) {
    const [low, high] = [request[`min_${name}`], request[`max_${name}`]]
    if (low !== undefined || high !== undefined) ranges[name] = { low, high }
  }
  return ranges
}

/** Datasets and what is found like one, by id; those that were withdrawn meanwhile are missing. */
async function listPublic(context: Context, ids: readonly string[]): Promise<Map<string, SeenDataset>> {
  const shown = new Map<string, SeenDataset>()
  for (const [id, dataset] of await listPublicDatasets(context.db, ids)) shown.set(id, toSeen(dataset, null))
  for (const kind of context.readables) {
    const own = ids.filter((id) => id.startsWith(kind.prefix))
    for (const seen of own.length > 0 ? await kind.listPublic(context, own) : []) shown.set(seen.dataset.id, seen)
  }
  return shown
}

function presentEntry(context: Context, { dataset, revision, derived }: SeenDataset, publishedAt: Date) {
  const { summary } = revision
  const camera = summary.camera_keys[0]
  return {
    id: dataset.id,
    org_slug: dataset.orgSlug,
    slug: dataset.slug,
    title: dataset.title,
    description: dataset.description,
    work_name: dataset.workName,
    task_name: dataset.taskName,
    robot_type: dataset.robotType,
    embodiment: dataset.embodiment,
    robot_description_uri: dataset.robotDescriptionUri,
    tags: dataset.tags,
    ...showTasks(summary),
    tasks: listTasks(dataset.taskName, summary),
    total_episodes: summary.total_episodes,
    total_frames: summary.total_frames,
    total_seconds: summary.total_seconds,
    fps: summary.fps,
    camera_keys: summary.camera_keys,
    camera_resolutions: summary.camera_resolutions,
    size_bytes: summary.size_bytes,
    source_kind: revision.sourceKind,
    hf_repo_id: revision.hfRepoId,
    derived_from: derived ? { id: derived.datasetId, title: derived.title } : null,
    licence: dataset.licence,
    length_histogram: summary.length_histogram,
    poster_url:
      camera === undefined ? null : posterUrl(context, { dataset, revision }, { episode: 0, camera, frame: 0 }),
    published_at: publishedAt.toISOString(),
    created_at: dataset.createdAt.toISOString(),
    updated_at: dataset.updatedAt.toISOString(),
  }
}

const maxQueryWords = 20
/** As this program writes them: what the database would refuse must not reach it. */
const keyForms = {
  newest: /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/,
  recorded: /^\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,2})?$/,
  episodes: /^\d{1,16}$/,
  size: /^\d{1,16}$/,
} as const

const catalogCursors = (sort: BrowseSort) => cursorsOf('catalog', sort)

/** What the list is sorted by, and the id, which has no space. */
function readPlace(cursor: string | undefined, sort: BrowseSort): EntryPlace | undefined {
  const cursors = catalogCursors(sort)
  const place = cursors.decode(cursor)
  if (place === undefined) return undefined
  const end = place.lastIndexOf(' ')
  const [key, id] = [place.slice(0, Math.max(0, end)), place.slice(end + 1)]
  const isSound = sort === 'name' || keyForms[sort].test(key)
  if (!isSound || id === '') throw cursors.refusal(cursor)
  return { key, id }
}
