import { ServiceError } from '../../errors.ts'
import { finishPush, judgePush } from '../commits/finish-push.ts'
import { addTag, removeTag } from '../commits/tags.ts'
import { type HubAnswer, revisionNotFound } from '../hub-answer.ts'
import { type HubRequest, type HubRoute, pushRoute } from '../hub-request.ts'
import { describeAddress, isModelName } from '../models/names.ts'
import { findPlace } from '../push/pushes.ts'
import { callerOf, findPush } from '../push/write-routes.ts'
import { readJson } from '../request-body.ts'
import { openCommit } from './branches.ts'

const repository = '/api/datasets/(?<org>[^/]+)/(?<name>[^/]+)'

export const tagRoutes: readonly HubRoute[] = [
  pushRoute('hub.createTag', 'POST', new RegExp(`^${repository}/tag/(?<revision>[^/]+)$`), createTag),
  pushRoute('hub.deleteTag', 'DELETE', new RegExp(`^${repository}/tag/(?<tag>[^/]+)$`), deleteTag),
]

const codebaseTag = /^v\d+\.\d+$/

async function createTag(call: HubRequest): Promise<HubAnswer> {
  const { context, params } = call
  const { tag, message } = await readJson(call)
  if (typeof tag !== 'string') throw new ServiceError('malformed_request', 'Send the name of the tag.')
  const answer = {
    json: {
      tag,
      ref: `refs/tags/${tag}`,
      url: `${context.publicUrl}/hf/${describeAddress(call)}`,
    },
  }
  if (codebaseTag.test(tag) && !isModelName(params.name ?? '')) {
    await declareWhole(call)
    return answer
  }
  const place = await findPlace(context.db, callerOf(call), params.org ?? '', params.name ?? '')
  const { commit } = await openCommit(call, params.revision ?? 'main')
  const words = typeof message === 'string' ? message : ''
  if (await addTag(context.db, callerOf(call), place, { name: tag, commitId: commit.id, message: words })) return answer
  return { status: 409, json: { error: `The tag ${tag} already exists. Delete it first to move it.` } }
}

/**
 * The codebase tag is the last thing that a recorder sets: the tree is whole then, and becomes an import. It says nothing of a tree that
 * lacks what its own metadata names, nor of one that is no robot dataset.
 */
async function declareWhole(call: HubRequest): Promise<void> {
  const { context } = call
  const push = await findPush(call)
  if (push.head === null) return
  const lacks = await judgePush(context, push)
  if (lacks !== undefined)
    throw new ServiceError(
      'malformed_request',
      lacks === 'meta/info.json'
        ? 'Codebase version tags are for robot datasets, and there is no meta/info.json. The push is kept as plain files.'
        : `The dataset is incomplete: its metadata names ${lacks}, which is missing. Push it, then set the tag again.`,
    )
  await finishPush(context.db, push, callerOf(call))
}

/** Tags that follow from the content cannot be deleted; recorders try before they set theirs, and expect this answer. */
async function deleteTag(call: HubRequest): Promise<HubAnswer> {
  const { context, params } = call
  const place = await findPlace(context.db, callerOf(call), params.org ?? '', params.name ?? '')
  const name = params.tag ?? ''
  if (!(await removeTag(context.db, callerOf(call), place, name))) throw revisionNotFound(name)
  return { json: {} }
}
