import { Type } from 'typebox'
import { projectAdmin } from '../../access/access.ts'
import { datasetPath, datasetRoute, presentDataset, projectDataset } from '../../datasets/routes.ts'
import { getDatasetBySlug } from '../../datasets/service.ts'
import { defineRoute } from '../../http/route.ts'
import { item, slug } from '../../http/schemas.ts'
import { renameRepository } from './renaming.ts'

/** Here and not with the datasets, because a name is that of a repository too, with what was pushed to it. */
export const renameRoutes = [
  defineRoute({
    ...datasetRoute,
    id: 'renameProjectDataset',
    method: 'POST',
    path: `${datasetPath}/rename`,
    summary: 'Give a dataset another slug',
    description:
      'Its id, revisions, versions, flags and annotations stay, and its imports and Hub repository move with it. The old slug leads to the dataset until something else takes it.',
    credentials: ['datasets:write'],
    access: projectAdmin,
    body: Type.Object({ slug }, { $id: 'RenameDataset' }),
    response: item(projectDataset),
    errors: ['not_found', 'conflict', 'slug_taken'],
    async handle(context, { caller, org, project, params, body }) {
      const dataset = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      await renameRepository(context, caller, { org, project, slug: dataset.slug }, body.slug)
      return { item: presentDataset(await getDatasetBySlug(context.db, project.id, body.slug)) }
    },
  }),
]
