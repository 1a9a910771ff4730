import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'

/** What a media route serves, each at `/api/v1/media/{dataset_id}/{revision_id}/<kind>`. */
export type MediaKind =
  | 'video'
  | 'poster'
  | 'sprite'
  | 'episode-sprite'
  | 'clip'
  | 'depth'
  | 'file'
  | 'archive'
  | 'artifact'

/** Names a resource inside a revision; these go into the query and under the signature. */
export type MediaParameters = Readonly<Record<string, string | number>>

export interface MediaResource {
  kind: MediaKind
  datasetId: string
  revisionId: string
  /** What the dataset was when the URL was made; a public URL ends when the dataset is withdrawn. */
  access: 'public' | 'private'
  parameters: MediaParameters
}

/** Of a dataset that somebody may see: all that a URL needs to know. */
export interface MediaSubject {
  dataset: { id: string; visibility: 'public' | 'private' }
  revision: { id: string }
}

type Signer = Pick<Context, 'publicUrl' | 'mediaUrlKey'>

/** URLs made in one window are equal, so that pages that hold them keep their ETag and browsers their cache. */
const windowSeconds = 3600
/** From the end of the window: a URL works for one to two hours. */
const lifeSeconds = 3600

/** The second at which URLs made now end: equal for a whole window, so it stands for the window in an ETag. */
export const findUrlExpiry = (now = Date.now()): number =>
  (Math.floor(now / 1000 / windowSeconds) + 1) * windowSeconds + lifeSeconds

export const signMediaUrl = (signer: Signer, resource: MediaResource, expires = findUrlExpiry()): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(resource.parameters)) query.set(name, String(value))
  query.set('access', resource.access)
  query.set('expires', String(expires))
  query.set('signature', computeSignature(signer.mediaUrlKey, resource, expires).toString('base64url'))
  const { datasetId, revisionId, kind } = resource
  return `${signer.publicUrl}/api/v1/media/${datasetId}/${revisionId}/${kind}?${query}`
}

const sign = (signer: Signer, { dataset, revision }: MediaSubject, kind: MediaKind, parameters: MediaParameters) =>
  signMediaUrl(signer, {
    kind,
    datasetId: dataset.id,
    revisionId: revision.id,
    access: dataset.visibility,
    parameters,
  })

/** A video file of the dataset, whole and by Range; `path` as the dataset names it. */
export const videoUrl = (signer: Signer, subject: MediaSubject, path: string): string =>
  sign(signer, subject, 'video', { path })

/** One frame as a picture; a client may add `width` and `format`, which are not under the signature. */
export const posterUrl = (
  signer: Signer,
  subject: MediaSubject,
  { episode, camera, frame }: { episode: number; camera: string; frame: number },
): string => sign(signer, subject, 'poster', { episode, camera, frame })

/** Eight frames of one episode side by side. */
export const spriteUrl = (
  signer: Signer,
  subject: MediaSubject,
  { episode, camera }: { episode: number; camera: string },
): string => sign(signer, subject, 'sprite', { episode, camera })

export const maxSpriteEpisodes = 50

/** One frame of each of up to fifty episodes from `offset` on, one below the other. */
export const episodeSpriteUrl = (
  signer: Signer,
  subject: MediaSubject,
  { camera, offset, limit }: { camera: string; offset: number; limit: number },
): string => sign(signer, subject, 'episode-sprite', { camera, offset, limit })

/** Exactly one episode of one camera as an MP4 of its own. */
export const clipUrl = (
  signer: Signer,
  subject: MediaSubject,
  { episode, camera }: { episode: number; camera: string },
): string => sign(signer, subject, 'clip', { episode, camera })

/** Any stored file of the dataset, saved under its name. */
export const fileUrl = (signer: Signer, subject: MediaSubject, path: string): string =>
  sign(signer, subject, 'file', { path })

/** The whole dataset as one tar. */
export const archiveUrl = (signer: Signer, subject: MediaSubject): string => sign(signer, subject, 'archive', {})

export interface GivenSignature {
  access?: 'public' | 'private' | undefined
  expires?: number | undefined
  signature?: string | undefined
}

/** The same refusal for every cause, so that a guess learns nothing. */
export const checkMediaSignature = (
  signer: Signer,
  resource: Omit<MediaResource, 'access'>,
  { access, expires, signature }: GivenSignature,
): 'public' | 'private' => {
  const refusal = new ServiceError('signature_invalid', 'This link is invalid or has expired. Request a new one.')
  if (access === undefined || expires === undefined || signature === undefined) throw refusal
  const expected = computeSignature(signer.mediaUrlKey, { ...resource, access }, expires)
  const given = Buffer.from(signature, 'base64url')
  if (given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected)) throw refusal
  if (expires * 1000 <= Date.now()) throw refusal
  return access
}

/** JSON keeps the fields apart, whatever they hold; the first word keeps this use of the key apart from others. */
const computeSignature = (key: string, resource: MediaResource, expires: number): Buffer => {
  const parameters = Object.entries(resource.parameters).map(([name, value]) => [name, String(value)] as const)
  parameters.sort(([one], [other]) => (one < other ? -1 : 1))
  const { kind, datasetId, revisionId, access } = resource
  return createHmac('sha256', key)
    .update(JSON.stringify(['nmp media 1', kind, datasetId, revisionId, access, expires, parameters]))
    .digest()
}
