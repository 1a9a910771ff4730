import { isObject, type JsonObject, type JsonValue } from '@nmp/formats/json'
import { ServiceError } from '../../errors.ts'
import { parseJson } from '../../http/bodies/json-thread.ts'
import { type HubRequest, hasty } from '../hub-request.ts'
import { findPushedObject, type Push, type PushFile } from '../push/pushes.ts'
import { listHubTags } from '../reading/card-data.ts'
import { findFile, type HubFile } from '../reading/commit-files.ts'
import { readFront } from '../reading/front-matter.ts'
import { openCommit, openRepository } from '../repositories/branches.ts'
import type { Commit, HubRepository } from '../repositories/repositories.ts'
import { findModelSource, insertModelSource, type ModelSource } from './repository.ts'

/** lerobot writes it beside the weights; `dataset.repo_id` and `dataset.revision` say what a policy was trained on. */
export const configPath = 'train_config.json'
const largestTextBytes = 1024 * 1024

/** Remembers what a pushed policy was trained on, and where that name stands now: later commits to the dataset do not change it. */
export async function noteModelSource(call: HubRequest, push: Push, { sha256, sizeBytes }: PushFile): Promise<void> {
  const { db } = call.context
  const blob = sizeBytes <= largestTextBytes ? await findPushedObject(db, push, sha256) : undefined
  const named = blob && readSource(Buffer.from(await readText(call, blob.storeKey)))
  if (named) await insertModelSource(db, push.projectId, sha256, { ...named, ...(await findNow(call, named)) })
}

const mostCharacters = 300

const configBounds = { mostDepth: 64, mostValues: 20_000 }

function readSource(bytes: Uint8Array): Pick<ModelSource, 'repoId' | 'revision'> | undefined {
  const parsed = parseJson(bytes, configBounds)
  const config = parsed.kind === 'value' ? (parsed.value as JsonValue) : undefined
  const dataset = isObject(config) && isObject(config.dataset) ? config.dataset : {}
  const { repo_id: repoId, revision = null } = dataset
  if (typeof repoId !== 'string' || repoId.length > mostCharacters) return undefined
  return { repoId, revision: typeof revision === 'string' ? revision.slice(0, mostCharacters) : null }
}

/** Names that mean nothing here, or nothing that whoever pushes may read, stay words. */
async function findNow(
  call: HubRequest,
  { repoId, revision }: Pick<ModelSource, 'repoId' | 'revision'>,
): Promise<Pick<ModelSource, 'dataset' | 'commitId'>> {
  const [org = '', name = '', ...rest] = repoId.split('/')
  const unknown = { dataset: null, commitId: null }
  if (rest.length > 0 || name === '') return unknown
  const asked = { ...call, params: { org, name } }
  try {
    const repository = await openRepository(asked)
    const commit = revision
      ? (await openCommit(asked, revision, hasty(call))).commit
      : (repository.loadable ?? repository.main)
    return { dataset: repository.name, commitId: commit.id }
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return unknown
    throw error
  }
}

/** What `model_info` says beside the facts of every repository: the card's, and what the policy was trained on. */
export async function describeModel(call: HubRequest, { project }: HubRepository, commit: Commit): Promise<object> {
  const files = await call.listFiles(commit)
  const cardData = await readCard(call, findFile(files, 'README.md'))
  const config = findFile(files, configPath)
  const source = config && (await findModelSource(call.context.db, project.id, config.sha256))
  const { library_name, pipeline_tag } = cardData
  return {
    cardData,
    tags: [...listHubTags(cardData), ...(source ? [`dataset:${source.repoId}`] : [])],
    ...(library_name === undefined ? {} : { library_name }),
    ...(pipeline_tag === undefined ? {} : { pipeline_tag }),
    ...(source ? { trainedOn: describeSource(source) } : {}),
  }
}

const describeSource = ({ repoId, revision, dataset, commitId }: ModelSource) => ({
  repo_id: repoId,
  revision,
  dataset,
  commit: commitId,
})

async function readCard(call: HubRequest, file: HubFile | undefined): Promise<JsonObject> {
  if (!file || file.sizeBytes > largestTextBytes) return {}
  return (await readFront(await readText(call, file.storeKey ?? ''))) ?? {}
}

async function readText({ context }: HubRequest, storeKey: string): Promise<string> {
  const { body } = await context.storage.getObject(storeKey)
  return Buffer.concat(await body.toArray()).toString('utf8')
}
