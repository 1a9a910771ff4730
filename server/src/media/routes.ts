import { Type } from 'typebox'
import { anyone } from '../access/access.ts'
import type { Caller } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { getOwnFiles, getStoredFile } from '../datasets/stored-files.ts'
import { notFound } from '../errors.ts'
import { defineRoute } from '../http/route.ts'
import { oneOf } from '../http/schemas.ts'
import { attachmentDisposition } from '../storage/serving/disposition.ts'
import { getClip } from './clips.ts'
import { getDepthFrame } from './depth.ts'
import { type MediaRequest, replyWithBytes, replyWithObject } from './object-reply.ts'
import { getEpisodeSprite, getPoster, getSprite, maxPosterWidth } from './pictures.ts'
import { getVideoFile, type OpenedMedia, openMedia } from './service.ts'
import { type GivenSignature, type MediaKind, type MediaParameters, maxSpriteEpisodes } from './urls.ts'

const params = Type.Object({ dataset_id: Type.String(), revision_id: Type.String() })

/** Conditions and ranges, as RFC 9110 has them. */
const headers = Type.Object({
  range: Type.Optional(Type.String()),
  'if-range': Type.Optional(Type.String()),
  'if-none-match': Type.Optional(Type.String()),
  'if-modified-since': Type.Optional(Type.String()),
})

const signature = {
  access: Type.Optional(
    oneOf(['public', 'private'], { description: 'Part of the signature: the visibility it was made for.' }),
  ),
  expires: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e11, description: 'Unix time at which the URL ends.' })),
  signature: Type.Optional(Type.String({ maxLength: 100 })),
}
const episode = Type.Integer({ minimum: 0, maximum: 2 ** 31 })
const camera = Type.String({ minLength: 1, maxLength: 500, description: 'Key of a camera of the dataset.' })
const frame = Type.Integer({ minimum: 0, maximum: 2 ** 31 })
const width = (words: string, fallback: number) =>
  Type.Integer({
    minimum: 16,
    maximum: maxPosterWidth,
    default: fallback,
    description: `Largest width; rounded up to 160, 320, 640 or 1280. ${words}`,
  })
const path = Type.String({ minLength: 1, maxLength: 1000, description: 'Path of a file inside the dataset.' })

const about =
  'The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.'

interface Asked extends MediaRequest {
  caller: Caller | undefined
  params: { dataset_id: string; revision_id: string }
  query: GivenSignature
}

const open = (context: Context, asked: Asked, kind: MediaKind, parameters: MediaParameters): Promise<OpenedMedia> => {
  const { dataset_id: datasetId, revision_id: revisionId } = asked.params
  const { access, expires, signature: given } = asked.query
  const address = { kind, datasetId, revisionId, parameters }
  return openMedia(context, asked.caller, address, { access, expires, signature: given })
}

/** Text is sent as bytes too: a part of a JSON file, which Range may ask for, is no JSON. */
const contentTypes: Record<string, string> = {
  mp4: 'video/mp4',
  parquet: 'application/vnd.apache.parquet',
}

const contentTypeOf = (name: string): string =>
  contentTypes[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

const route = {
  method: 'GET',
  tag: 'Catalog',
  description: about,
  credentials: 'optional',
  access: anyone,
  params,
  headers,
  response: 'bytes',
  errors: [
    'signature_invalid',
    'not_found',
    'conflict',
    'artifact_not_ready',
    'range_not_satisfiable',
    'codec_missing',
    'not_ready',
  ],
} as const

export const mediaRoutes = [
  defineRoute({
    ...route,
    id: 'getVideoFile',
    path: '/api/v1/media/{dataset_id}/{revision_id}/video',
    summary: 'A video file, played by Range',
    description: `One file holds many episodes; the frames page says at which seconds. ${about}`,
    query: Type.Object({ path, ...signature }),
    async handle(context, request) {
      const { path: name } = request.query
      const media = await open(context, request, 'video', { path: name })
      if (!name.endsWith('.mp4')) throw notFound()
      const blob = await getVideoFile(context, media, name)
      const { maxAgeSeconds } = media
      return replyWithObject(context, request, blob, { contentType: 'video/mp4', maxAgeSeconds })
    },
  }),
  defineRoute({
    ...route,
    id: 'getDatasetFile',
    path: '/api/v1/media/{dataset_id}/{revision_id}/file',
    summary: 'Download a stored file of the dataset',
    query: Type.Object({ path, ...signature }),
    async handle(context, request) {
      const { path: name } = request.query
      const media = await open(context, request, 'file', { path: name })
      const blob = await getStoredFile(context.db, getOwnFiles(media.revision), name)
      return replyWithObject(context, request, blob, {
        contentType: contentTypeOf(name),
        disposition: attachmentDisposition(name.split('/').at(-1) ?? name),
        maxAgeSeconds: media.maxAgeSeconds,
      })
    },
  }),
  defineRoute({
    ...route,
    id: 'getPoster',
    path: '/api/v1/media/{dataset_id}/{revision_id}/poster',
    summary: 'One frame as a picture',
    description: `Exactly frame \`frame\` of the episode, counted from 0. \`width\` and \`format\` may be added to a signed URL. ${about}`,
    query: Type.Object({
      episode,
      camera,
      frame,
      width: width('A smaller frame is not enlarged.', 640),
      format: oneOf(['jpeg', 'webp'], { default: 'jpeg' }),
      ...signature,
    }),
    async handle(context, request) {
      const { episode: index, camera: key, frame: at, width: most, format } = request.query
      const media = await open(context, request, 'poster', { episode: index, camera: key, frame: at })
      const wanted = { episode: index, camera: key, frame: at, width: most, format }
      const picture = await getPoster(context, media, wanted)
      return replyWithBytes(request, picture, {
        contentType: `image/${format}`,
        maxAgeSeconds: media.maxAgeSeconds,
      })
    },
  }),
  defineRoute({
    ...route,
    id: 'getDepthFrame',
    path: '/api/v1/media/{dataset_id}/{revision_id}/depth',
    summary: 'One frame of a depth camera in millimetres',
    description: `A grey PNG of 16 bits: each pixel is a number of millimetres, 0 where nothing was measured (or, in a video, something nearer than its range begins), and the end of the range also stands for everything beyond it. A camera whose distances are not known is a 409 that says why; \`GET …/media\` of the episode says so beforehand. ${about}`,
    query: Type.Object({
      episode,
      camera,
      frame,
      width: width('Pixels are left out for it, never mixed.', maxPosterWidth),
      ...signature,
    }),
    async handle(context, request) {
      const { episode: index, camera: key, frame: at, width: most } = request.query
      const media = await open(context, request, 'depth', { episode: index, camera: key, frame: at })
      const picture = await getDepthFrame(context, media, { episode: index, camera: key, frame: at, width: most })
      return replyWithBytes(request, picture, { contentType: 'image/png', maxAgeSeconds: media.maxAgeSeconds })
    },
  }),
  defineRoute({
    ...route,
    id: 'getSprite',
    path: '/api/v1/media/{dataset_id}/{revision_id}/sprite',
    summary: 'Eight frames of an episode side by side',
    description: `Tiles of at most 160 pixels width: the first frame, the last, and six between. ${about}`,
    query: Type.Object({ episode, camera, ...signature }),
    async handle(context, request) {
      const { episode: index, camera: key } = request.query
      const media = await open(context, request, 'sprite', { episode: index, camera: key })
      const picture = await getSprite(context, media, { episode: index, camera: key })
      return replyWithBytes(request, picture, { contentType: 'image/jpeg', maxAgeSeconds: media.maxAgeSeconds })
    },
  }),
  defineRoute({
    ...route,
    id: 'getEpisodeSprite',
    path: '/api/v1/media/{dataset_id}/{revision_id}/episode-sprite',
    summary: 'A frame of each episode of a page, one below the other',
    description: `Tiles of at most 96 pixels width, in the order of the episode numbers from \`offset\` on; the first frames unless \`at\` is added to a signed URL. ${about}`,
    query: Type.Object({
      camera,
      offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
      limit: Type.Integer({ minimum: 1, maximum: maxSpriteEpisodes }),
      at: Type.Integer({ minimum: 0, maximum: 100, default: 0, description: 'Percent of each episode.' }),
      ...signature,
    }),
    async handle(context, request) {
      const { camera: key, offset, limit, at } = request.query
      const media = await open(context, request, 'episode-sprite', { camera: key, offset, limit })
      const picture = await getEpisodeSprite(context, media, { camera: key, offset, limit, at })
      return replyWithBytes(request, picture, { contentType: 'image/jpeg', maxAgeSeconds: media.maxAgeSeconds })
    },
  }),
  defineRoute({
    ...route,
    id: 'getClip',
    path: '/api/v1/media/{dataset_id}/{revision_id}/clip',
    summary: 'One episode of one camera as a video of its own',
    description: `An MP4 with exactly the frames of the episode, copied without loss, beginning at zero. ${about}`,
    query: Type.Object({ episode, camera, ...signature }),
    async handle(context, request) {
      const { episode: index, camera: key } = request.query
      const media = await open(context, request, 'clip', { episode: index, camera: key })
      const { blob, fileName } = await getClip(context, media, { episode: index, camera: key })
      return replyWithObject(context, request, blob, {
        contentType: 'video/mp4',
        disposition: attachmentDisposition(fileName),
        maxAgeSeconds: media.maxAgeSeconds,
      })
    },
  }),
]
