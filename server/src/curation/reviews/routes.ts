import { Type } from 'typebox'
import { projectEditor, projectViewer } from '../../access/access.ts'
import { defineRoute } from '../../http/route.ts'
import { item, page, pageQuery, projectParams } from '../../http/schemas.ts'
import {
  changedReview,
  givenVerdicts,
  newReview,
  newReviewBounds,
  openedReview,
  presentOpenedReview,
  presentReview,
  review,
  verdictBounds,
} from './record.ts'
import { changeReview, createReview, decide, deleteReview, getReview, listReviews, openReview } from './service.ts'

const base = '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews'
const reviewParams = Type.Object({ ...projectParams.properties, review_id: Type.String() })
const tag = 'Project datasets'

export const reviewRoutes = [
  defineRoute({
    id: 'listReviews',
    method: 'GET',
    path: base,
    tag,
    summary: 'List the reviews of a dataset or version',
    description: 'Queues of episodes that people go through, newest first, of the revision that the dataset shows.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: projectParams,
    query: Type.Object({ ...pageQuery.properties, dataset_id: Type.String({ minLength: 1, maxLength: 100 }) }),
    response: page(review),
    async handle(context, { caller, project, query }) {
      const { rows, nextCursor } = await listReviews(context, caller, project, query.dataset_id, query)
      return { items: rows.map(presentReview), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'createReview',
    method: 'POST',
    path: base,
    tag,
    summary: 'Start a review',
    description:
      'A queue of episodes in the order given, of the revision that the dataset shows, dealt between `people`. What is said of an episode (`decideReview`) changes nothing else: the episodes that are left out become a version by a recipe.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: projectParams,
    body: newReview,
    bodyBounds: newReviewBounds,
    response: item(openedReview),
    status: 201,
    errors: ['conflict', 'not_found'],
    async handle(context, { caller, project, body }) {
      const { dataset_id: datasetId, name, episodes, people = [] } = body
      const opened = await createReview(context, caller, project, { datasetId, name, episodes, people })
      return { item: presentOpenedReview(opened) }
    },
  }),
  defineRoute({
    id: 'getReview',
    method: 'GET',
    path: `${base}/{review_id}`,
    tag,
    summary: 'One review with its episodes and verdicts',
    description: 'Also one of an earlier revision: its numbers are that revision’s.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: reviewParams,
    response: item(openedReview),
    async handle({ db }, { project, params }) {
      return { item: presentOpenedReview(await openReview(db, project, params.review_id)) }
    },
  }),
  defineRoute({
    id: 'changeReview',
    method: 'PATCH',
    path: `${base}/{review_id}`,
    tag,
    summary: 'Rename a review, or deal it anew',
    description: 'Its name, or the people among whom its episodes are dealt; verdicts stay.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: reviewParams,
    body: changedReview,
    response: item(review),
    async handle({ db }, { caller, org, project, params, body }) {
      return { item: presentReview(await changeReview(db, caller, { org, project }, params.review_id, body)) }
    },
  }),
  defineRoute({
    id: 'decideReview',
    method: 'PUT',
    path: `${base}/{review_id}/verdicts`,
    tag,
    summary: 'Say what becomes of episodes of a review',
    description:
      'All or none are saved. An episode has one verdict, the last; `null` takes it back. Everybody who follows the events of the project gets a `review` event.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: reviewParams,
    body: givenVerdicts,
    bodyBounds: verdictBounds,
    response: item(review),
    async handle({ db }, { caller, org, project, params, body }) {
      return { item: presentReview(await decide(db, caller, { org, project }, params.review_id, body.items)) }
    },
  }),
  defineRoute({
    id: 'deleteReview',
    method: 'DELETE',
    path: `${base}/{review_id}`,
    tag,
    summary: 'Delete a review',
    description: 'With its verdicts; flags and recipes that came of it stay. Returns the review as it was.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: reviewParams,
    response: item(review),
    async handle({ db }, { caller, org, project, params }) {
      const gone = await getReview(db, project, params.review_id)
      await deleteReview(db, caller, { org, project }, params.review_id)
      return { item: presentReview(gone) }
    },
  }),
]
