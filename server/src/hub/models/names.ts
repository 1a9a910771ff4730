import type { IncomingMessage } from 'node:http'

/**
 * Models have names of their own beside those of datasets: stored as `model:NAME`, which no dataset can be called. At the door they are
 * addressed as on the Hub, without `datasets/`; inside, `PROJECT.model:NAME` is such a name.
 */
const prefix = 'model:'

export const isModelSlug = (slug: string): boolean => slug.startsWith(prefix)

/** Of `NAME` or `PROJECT.NAME`. */
export function nameModel(name: string): string {
  const start = name.lastIndexOf('.') + 1
  return name.slice(0, start) + prefix + name.slice(start)
}

export const isModelName = (name: string): boolean => isModelSlug(name.slice(name.lastIndexOf('.') + 1))

/** Without the prefix: as people know it. */
export const showName = (name: string): string => name.replace(prefix, '')

/** Older clients take what stands before `ORG/NAME` for the kind of the repository, and fail on the `hf` of ours. */
const wantsKind = /hf_hub\/[01]\./

/** Where a repository is below the door, for addresses in answers. */
export function describeAddress({ request, params }: Asked, { org, name } = params): string {
  if (!isModelName(name ?? '')) return `datasets/${org}/${name}`
  return `${wantsKind.test(request.headers['user-agent'] ?? '') ? 'models/' : ''}${org}/${showName(name ?? '')}`
}

interface Asked {
  request: Pick<IncomingMessage, 'headers'>
  params: { org?: string; name?: string }
}

/** A name of one part is followed by what is asked about it. */
const parts = 'revision|tree|paths-info|commits|refs|preupload|commit|tag|branch'
const inApi = new RegExp(`^/api/models/([^/]+)/(?!(?:${parts})(?:/|$))([^/]+)(?=/|$)`)
const outside = /^\/(?!(?:datasets|spaces|api|lfs|xet)\/)([^/]+)\/([^/]+?)(?=\/(?:resolve|raw)\/|\.git\/)/

/** The address of a model as that of a dataset under the model's stored name; any other stays as it is. */
export const toDatasetAddress = (path: string): string =>
  path
    .replace(inApi, (_all, org: string, name: string) => `/api/datasets/${org}/${nameModel(name)}`)
    .replace(outside, (_all, org: string, name: string) => `/datasets/${org}/${nameModel(name)}`)
