// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'

export interface GetDatasetArchiveInput {
  dataset_id: string
  revision_id: string
  access?: 'public' | 'private' | undefined
  expires?: number | undefined
  signature?: string | undefined
}

export type GetDatasetArchiveAnswer = Response

export interface GetVideoFileInput {
  dataset_id: string
  revision_id: string
  /** Path of a file inside the dataset. */
  path: string
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetVideoFileAnswer = Response

export interface GetDatasetFileInput {
  dataset_id: string
  revision_id: string
  /** Path of a file inside the dataset. */
  path: string
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetDatasetFileAnswer = Response

export interface GetPosterInput {
  dataset_id: string
  revision_id: string
  episode: number
  /** Key of a camera of the dataset. */
  camera: string
  frame: number
  /** Largest width; rounded up to 160, 320, 640 or 1280. A smaller frame is not enlarged. */
  width?: number | undefined
  format?: 'jpeg' | 'webp' | undefined
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetPosterAnswer = Response

export interface GetDepthFrameInput {
  dataset_id: string
  revision_id: string
  episode: number
  /** Key of a camera of the dataset. */
  camera: string
  frame: number
  /** Largest width; rounded up to 160, 320, 640 or 1280. Pixels are left out for it, never mixed. */
  width?: number | undefined
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetDepthFrameAnswer = Response

export interface GetSpriteInput {
  dataset_id: string
  revision_id: string
  episode: number
  /** Key of a camera of the dataset. */
  camera: string
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetSpriteAnswer = Response

export interface GetEpisodeSpriteInput {
  dataset_id: string
  revision_id: string
  /** Key of a camera of the dataset. */
  camera: string
  offset: number
  limit: number
  /** Percent of each episode. */
  at?: number | undefined
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetEpisodeSpriteAnswer = Response

export interface GetClipInput {
  dataset_id: string
  revision_id: string
  episode: number
  /** Key of a camera of the dataset. */
  camera: string
  /** Part of the signature: the visibility it was made for. */
  access?: 'public' | 'private' | undefined
  /** Unix time at which the URL ends. */
  expires?: number | undefined
  signature?: string | undefined
}

export type GetClipAnswer = Response

export interface GetArtifactTarInput {
  version_id: string
  checksum: string
  key: string
  access?: 'private' | undefined
  expires?: number | undefined
  signature?: string | undefined
}

export type GetArtifactTarAnswer = Response

export interface MediaOperations {
  /**
   * The stored dataset as one tar.
   *
   * Its length is known in advance and any Range can be requested. The manifest contains a signed address; without a signature, read access to the dataset is needed.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/archive` · no credential needed
   */
  getDatasetArchive(input: GetDatasetArchiveInput, options?: CallOptions): Promise<GetDatasetArchiveAnswer>
  /**
   * A video file, played by Range.
   *
   * One file holds many episodes; the frames page says at which seconds. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/video` · no credential needed
   */
  getVideoFile(input: GetVideoFileInput, options?: CallOptions): Promise<GetVideoFileAnswer>
  /**
   * Download a stored file of the dataset.
   *
   * The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/file` · no credential needed
   */
  getDatasetFile(input: GetDatasetFileInput, options?: CallOptions): Promise<GetDatasetFileAnswer>
  /**
   * One frame as a picture.
   *
   * Exactly frame `frame` of the episode, counted from 0. `width` and `format` may be added to a signed URL. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/poster` · no credential needed
   */
  getPoster(input: GetPosterInput, options?: CallOptions): Promise<GetPosterAnswer>
  /**
   * One frame of a depth camera in millimetres.
   *
   * A grey PNG of 16 bits: each pixel is a number of millimetres, 0 where nothing was measured (or, in a video, something nearer than its range begins), and the end of the range also stands for everything beyond it. A camera whose distances are not known is a 409 that says why; `GET …/media` of the episode says so beforehand. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/depth` · no credential needed
   */
  getDepthFrame(input: GetDepthFrameInput, options?: CallOptions): Promise<GetDepthFrameAnswer>
  /**
   * Eight frames of an episode side by side.
   *
   * Tiles of at most 160 pixels width: the first frame, the last, and six between. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/sprite` · no credential needed
   */
  getSprite(input: GetSpriteInput, options?: CallOptions): Promise<GetSpriteAnswer>
  /**
   * A frame of each episode of a page, one below the other.
   *
   * Tiles of at most 96 pixels width, in the order of the episode numbers from `offset` on; the first frames unless `at` is added to a signed URL. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/episode-sprite` · no credential needed
   */
  getEpisodeSprite(input: GetEpisodeSpriteInput, options?: CallOptions): Promise<GetEpisodeSpriteAnswer>
  /**
   * One episode of one camera as a video of its own.
   *
   * An MP4 with exactly the frames of the episode, copied without loss, beginning at zero. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute.
   *
   * `GET /api/v1/media/{dataset_id}/{revision_id}/clip` · no credential needed
   */
  getClip(input: GetClipInput, options?: CallOptions): Promise<GetClipAnswer>
  /**
   * An artifact as one tar.
   *
   * Made from the files of the artifact while it is sent, with the checksum that the artifact has. Its length is known in advance and any Range can be requested. Needs a signature: `download-url` has the address.
   *
   * `GET /api/v1/media/{version_id}/{checksum}/artifact` · no credential needed
   */
  getArtifactTar(input: GetArtifactTarInput, options?: CallOptions): Promise<GetArtifactTarAnswer>
}

export const mediaOperations: OperationTable = {
  getDatasetArchive: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/archive', query: ['access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getVideoFile: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/video', query: ['path', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getDatasetFile: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/file', query: ['path', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getPoster: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/poster', query: ['episode', 'camera', 'frame', 'width', 'format', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getDepthFrame: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/depth', query: ['episode', 'camera', 'frame', 'width', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getSprite: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/sprite', query: ['episode', 'camera', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getEpisodeSprite: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/episode-sprite', query: ['camera', 'offset', 'limit', 'at', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getClip: { method: 'GET', path: '/api/v1/media/{dataset_id}/{revision_id}/clip', query: ['episode', 'camera', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
  getArtifactTar: { method: 'GET', path: '/api/v1/media/{version_id}/{checksum}/artifact', query: ['key', 'access', 'expires', 'signature'], answersBytes: true, repeatable: true },
}
