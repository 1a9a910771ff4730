import { Type } from 'typebox'
import { anyone } from '../access/access.ts'
import { findReadable } from '../datasets/service.ts'
import { defineRoute, Reply } from '../http/route.ts'
import { item, oneOf, page, pageQuery } from '../http/schemas.ts'
import { answerConditionally, conditions } from '../media/conditional-answer.ts'
import { openMedia } from '../media/service.ts'
import { answerTar, tarHeaders } from '../media/tar-answer.ts'
import { presentVersion } from '../versions/present.ts'
import { getListedVersion } from '../versions/service.ts'
import { browse, browseQuery, browseReply } from './browse.ts'
import { listFilterOptions, listInsights, listMotionCurves } from './insights.ts'
import { presentFeatureStatistics, presentManifest, presentPage, presentStatistics } from './present.ts'
import {
  datasetParams,
  episodePage,
  episodeQuery,
  featureStatistics,
  filterOptions,
  framesPage,
  framesQuery,
  insights,
  manifest,
  motionCurves,
  navigation,
  offset,
  statistics,
  storedFile,
  thumbnails,
} from './schemas.ts'
import { listFiles, listFrames, listThumbnails, navigate, openDataset, planArchive, requireSplit } from './service.ts'

const route = {
  method: 'GET',
  tag: 'Catalog',
  credentials: 'optional',
  access: anyone,
  headers: conditions,
  errors: ['not_found', 'conflict'],
} as const

const about =
  'Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.'

export const catalogRoutes = [
  defineRoute({
    id: 'browseCatalog',
    method: 'GET',
    path: '/api/v1/catalog/datasets',
    tag: 'Catalog',
    summary: 'Browse the public datasets',
    description:
      'Every word of `q` must begin a word of the title, slug, tags, tasks, robot type, embodiment, work or description. `facets` and `histograms` count what each filter value would leave, and are only sent with the first page.',
    credentials: 'optional',
    access: anyone,
    query: browseQuery,
    response: browseReply,
    async handle(context, { query }) {
      return browse(context, query)
    },
  }),
  defineRoute({
    ...route,
    id: 'getCatalogDataset',
    path: '/api/v1/catalog/datasets/{dataset_id}',
    summary: "Get a dataset's manifest",
    description: about,
    params: datasetParams,
    query: episodeQuery,
    response: item(manifest),
    async handle(context, { caller, params, query, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      requireSplit(model, query.split)
      const answer = answerConditionally(context, seen, headers['if-none-match'], () => undefined as never)
      if (answer.status === 304) return answer
      const version = seen.derived ? presentVersion(await getListedVersion(context.db, seen.dataset.id)) : null
      const item = presentManifest(context, seen, model, query, version)
      return new Reply({ item }, { headers: answer.headers })
    },
  }),
  defineRoute({
    ...route,
    id: 'listEpisodes',
    path: '/api/v1/catalog/datasets/{dataset_id}/episodes',
    summary: 'List the episodes of a dataset',
    description: `Every page costs the same at any offset. ${about}`,
    params: datasetParams,
    query: episodeQuery,
    response: item(episodePage),
    async handle(context, { caller, params, query, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      requireSplit(model, query.split)
      return answerConditionally(context, seen, headers['if-none-match'], () => ({
        item: presentPage(model, query, seen.derived?.sources),
      }))
    },
  }),
  defineRoute({
    ...route,
    id: 'getEpisodeNavigation',
    path: '/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/navigation',
    summary: 'Get an episode and its neighbours',
    description: about,
    params: Type.Object({
      dataset_id: Type.String(),
      episode_index: Type.Integer({ minimum: 0, 'x-place': true }),
    }),
    response: item(navigation),
    async handle(context, { caller, params, headers }) {
      const opened = await openDataset(context, caller, params.dataset_id)
      const item = navigate(opened, params.episode_index)
      return answerConditionally(context, opened.seen, headers['if-none-match'], () => ({ item }))
    },
  }),
  defineRoute({
    ...route,
    id: 'listFrames',
    path: '/api/v1/catalog/datasets/{dataset_id}/frames',
    summary: 'List the first or last frames of the episodes',
    description: `Each stream names the shared video file with the seconds of the episode in it, and a picture of the frame. ${about}`,
    params: datasetParams,
    query: framesQuery,
    response: item(framesPage),
    async handle(context, { caller, params, query, headers }) {
      const opened = await openDataset(context, caller, params.dataset_id)
      const item = listFrames(context, opened, query)
      return answerConditionally(context, opened.seen, headers['if-none-match'], () => ({ item }))
    },
  }),
  defineRoute({
    ...route,
    id: 'getStatistics',
    path: '/api/v1/catalog/datasets/{dataset_id}/statistics',
    summary: 'Get the statistics of the episodes',
    description: `Exact, over every episode. ${about}`,
    params: datasetParams,
    response: item(statistics),
    async handle(context, { caller, params, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      return answerConditionally(context, seen, headers['if-none-match'], () => ({ item: presentStatistics(model) }))
    },
  }),
  defineRoute({
    ...route,
    id: 'getFiltering',
    path: '/api/v1/catalog/datasets/{dataset_id}/filtering',
    summary: 'Get the episodes that move unusually little or shake unusually much',
    description: `Every frame of every episode is scored; each list holds at most 1,000. ${about}`,
    params: datasetParams,
    response: item(filterOptions),
    async handle(context, { caller, params, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      return answerConditionally(context, seen, headers['if-none-match'], () => ({ item: listFilterOptions(model) }))
    },
  }),
  defineRoute({
    ...route,
    id: 'getThumbnails',
    path: '/api/v1/catalog/datasets/{dataset_id}/thumbnails',
    summary: 'Get pictures of a few episodes',
    description: about,
    params: datasetParams,
    response: item(thumbnails),
    async handle(context, { caller, params, headers }) {
      const opened = await openDataset(context, caller, params.dataset_id)
      return answerConditionally(context, opened.seen, headers['if-none-match'], () => ({
        item: listThumbnails(context, opened),
      }))
    },
  }),
  defineRoute({
    ...route,
    id: 'getFeatureStatistics',
    path: '/api/v1/catalog/datasets/{dataset_id}/feature-statistics',
    summary: 'Get mean, spread and quantiles of every feature',
    description: `Over every row, computed at import. ${about}`,
    params: datasetParams,
    response: item(featureStatistics),
    async handle(context, { caller, params, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      const answer = answerConditionally(context, seen, headers['if-none-match'], () => undefined as never)
      if (answer.status === 304) return answer
      const measured = await seen.revision.content?.measureFeatures?.(context)
      return new Reply({ item: presentFeatureStatistics(model, measured) }, { headers: answer.headers })
    },
  }),
  defineRoute({
    ...route,
    id: 'getInsights',
    path: '/api/v1/catalog/datasets/{dataset_id}/insights',
    summary: 'Get length, motion and variance of every episode, for plots',
    description: `Arrays by episode number, starting at \`offset\`. ${about}`,
    params: datasetParams,
    query: Type.Object({
      offset,
      limit: Type.Integer({ minimum: 1, maximum: 50_000, default: 10_000 }),
    }),
    response: item(insights),
    async handle(context, { caller, params, query, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      return answerConditionally(context, seen, headers['if-none-match'], () => ({
        item: listInsights(model, query.offset, query.limit),
      }))
    },
  }),
  defineRoute({
    ...route,
    id: 'getMotionCurves',
    path: '/api/v1/catalog/datasets/{dataset_id}/motion-curves',
    summary: 'Get a motion curve of each episode, for rows of a list',
    description: `By episode number, starting at \`offset\`. ${about}`,
    params: datasetParams,
    query: Type.Object({
      offset,
      limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 200 }),
    }),
    response: item(motionCurves),
    async handle(context, { caller, params, query, headers }) {
      const { seen, model } = await openDataset(context, caller, params.dataset_id)
      return answerConditionally(context, seen, headers['if-none-match'], () => ({
        item: listMotionCurves(model, query.offset, query.limit),
      }))
    },
  }),
  defineRoute({
    ...route,
    id: 'listFiles',
    path: '/api/v1/catalog/datasets/{dataset_id}/files',
    summary: 'List the files of the stored dataset',
    description: `The LeRobot v3 dataset as it is stored, file by file. ${about}`,
    params: datasetParams,
    query: pageQuery,
    response: page(storedFile),
    errors: ['not_found', 'conflict', 'artifact_not_ready'],
    async handle(context, { caller, params, query }) {
      return listFiles(context, await findReadable(context, caller, params.dataset_id), query)
    },
  }),
  defineRoute({
    id: 'getDatasetArchive',
    method: 'GET',
    path: '/api/v1/media/{dataset_id}/{revision_id}/archive',
    tag: 'Catalog',
    summary: 'The stored dataset as one tar',
    description:
      'Its length is known in advance and any Range can be requested. The manifest contains a signed address; without a signature, read access to the dataset is needed.',
    credentials: 'optional',
    access: anyone,
    params: Type.Object({ dataset_id: Type.String(), revision_id: Type.String() }),
    query: Type.Object({
      access: Type.Optional(oneOf(['public', 'private'])),
      expires: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e11 })),
      signature: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    headers: tarHeaders,
    response: 'bytes',
    errors: ['signature_invalid', 'not_found', 'conflict', 'artifact_not_ready', 'range_not_satisfiable'],
    async handle(context, { caller, params, query, headers, isHead, signal }) {
      const address = {
        kind: 'archive',
        datasetId: params.dataset_id,
        revisionId: params.revision_id,
        parameters: {},
      } as const
      const media = await openMedia(context, caller, address, query)
      const tar = await planArchive(context, media)
      const name = `${media.dataset.slug}.tar`
      return answerTar({ headers, isHead, signal }, context.storage, { ...tar, name })
    },
  }),
]
