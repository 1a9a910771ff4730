import { datasetPath, datasetReaders, datasetRoute } from '../datasets/routes.ts'
import { getDatasetBySlug, toSeen } from '../datasets/service.ts'
import { defineRoute } from '../http/route.ts'
import { item } from '../http/schemas.ts'
import { answerConditionally, conditions } from '../media/conditional-answer.ts'
import { presentManifest } from './present.ts'
import { episodeQuery, manifest } from './schemas.ts'
import { openSeen, requireSplit } from './service.ts'

/** What the catalog shows, of a dataset that is named by its project. */
export const projectCatalogRoutes = [
  defineRoute({
    ...datasetRoute,
    ...datasetReaders,
    id: 'getProjectDatasetManifest',
    method: 'GET',
    path: `${datasetPath}/manifest`,
    summary: "Get the manifest of a project's dataset",
    description: 'The same shape as in the catalog.',
    query: episodeQuery,
    headers: conditions,
    response: item(manifest),
    async handle(context, { project, params, query, headers }) {
      const dataset = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      const { seen, model } = await openSeen(context, toSeen(dataset, project.role))
      requireSplit(model, query.split)
      return answerConditionally(context, seen, headers['if-none-match'], () => ({
        item: presentManifest(context, seen, model, query),
      }))
    },
  }),
]
