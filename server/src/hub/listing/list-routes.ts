import { ServiceError } from '../../errors.ts'
import type { HubAnswer } from '../hub-answer.ts'
import type { HubRequest, HubRoute } from '../hub-request.ts'
import { showName } from '../models/names.ts'
import { listRepositories } from './listing.ts'
import type { ListedRepository } from './repository.ts'

/** `list_datasets`, `list_models` and `hf datasets ls`. */
export const listRoutes: readonly HubRoute[] = [
  {
    id: 'hub.listDatasets',
    method: 'GET',
    address: /^\/api\/datasets\/?$/,
    credentials: 'optional',
    handle: (call) => list(call, 'datasets'),
  },
  {
    id: 'hub.listModels',
    method: 'GET',
    address: /^\/api\/models\/?$/,
    credentials: 'optional',
    handle: (call) => list(call, 'models'),
  },
]

const pageSize = 500
const sorts = ['lastModified', 'createdAt', 'downloads', 'likes', 'trendingScore']

async function list(call: HubRequest, kind: 'datasets' | 'models'): Promise<HubAnswer> {
  const { url, context, caller } = call
  const given = (name: string) => url.searchParams.getAll(name).filter((value) => value !== '')
  const count = (name: string, otherwise: number): number => {
    const value = Number(given(name)[0] ?? otherwise)
    if (Number.isSafeInteger(value) && value >= 0) return value
    throw new ServiceError('malformed_request', `${name} must be a whole number of at least 0.`)
  }
  const sort = given('sort')[0] ?? 'lastModified'
  if (!sorts.includes(sort)) throw new ServiceError('malformed_request', `sort is one of ${sorts.join(', ')}.`)
  const [limit, offset] = [count('limit', Number.MAX_SAFE_INTEGER), count('offset', 0)]
  const wanted = Math.min(pageSize, limit)
  const rows = await listRepositories(context.db, caller, kind, {
    author: given('author')[0],
    words: given('search').slice(0, 20),
    tags: given('filter').slice(0, 20),
    // Downloads and likes are not counted here: all are equal by them.
    sort: sort === 'createdAt' ? 'createdAt' : 'lastModified',
    limit: wanted + 1,
    offset,
  })
  const expand = given('expand')
  const json = rows.slice(0, wanted).map((row) => {
    const entries = Object.entries(describeListed(row))
    const shown = expand.length === 0 ? entries : entries.filter(([key]) => expand.includes(key))
    return { ...Object.fromEntries(shown), _id: nameOf(row), id: nameOf(row) }
  })
  if (rows.length <= wanted || limit <= wanted) return { json }
  const next = new URL(`${context.publicUrl}/hf/api/${kind}${url.search}`)
  next.searchParams.set('offset', String(offset + wanted))
  if (limit < Number.MAX_SAFE_INTEGER) next.searchParams.set('limit', String(limit - wanted))
  return { json, headers: { link: `<${next.href}>; rel="next"` } }
}

const nameOf = ({ org, project, slug }: ListedRepository): string => `${org}/${project}.${showName(slug)}`

const describeListed = ({ org, isPrivate, isRobotData, tags, createdAt, updatedAt }: ListedRepository) => ({
  author: org,
  private: isPrivate,
  gated: false,
  disabled: false,
  tags: [...(isRobotData ? ['task_categories:robotics', 'LeRobot'] : []), ...tags],
  downloads: 0,
  likes: 0,
  createdAt: createdAt.toISOString(),
  lastModified: updatedAt.toISOString(),
})
