import { Type } from 'typebox'
import { anyone } from '../../access/access.ts'
import { findReadable } from '../../datasets/service.ts'
import { holdAnswer } from '../../http/bodies/held-answer.ts'
import { defineRoute, Reply } from '../../http/route.ts'
import { item, nullable, oneOf, timestamp } from '../../http/schemas.ts'
import { attachmentDisposition } from '../../storage/serving/disposition.ts'
import { recordedAction } from '../changed-column.ts'
import { answerConditionally, conditions } from '../conditional-answer.ts'
import { type DepthReading, readDepth } from '../depth-reading.ts'
import { measureEpisodeTile } from '../pictures.ts'
import { type Camera, getCameraOf, openModel } from '../service.ts'
import { placeStream, transformsRecord } from '../streams.ts'
import { clipUrl, episodeSpriteUrl, findUrlExpiry, maxSpriteEpisodes, posterUrl, spriteUrl, videoUrl } from '../urls.ts'
import { countNumbers, type SeriesPage } from './series.ts'
import { renderSeriesJson } from './series-json.ts'
import { asMedia, openArrow, openCsv, openEpisode, openRecorded, pickRows, readSeries } from './service.ts'

const params = Type.Object({
  dataset_id: Type.String(),
  episode_index: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
})

const series = Type.Object({
  name: Type.String(),
  dtype: Type.String(),
  shape: Type.Array(Type.Integer()),
  names: nullable(Type.Array(Type.String())),
  values: Type.Array(Type.Array(Type.Unsafe<unknown>({})), {
    description:
      'Per dimension, in row-major order: one value per entry of `frame_index`; null where it is not a number.',
  }),
})

const rows = Type.Object(
  {
    episode_index: Type.Integer(),
    length_frames: Type.Integer(),
    fps: Type.Number(),
    start_frame: Type.Integer(),
    end_frame: Type.Integer(),
    is_decimated: Type.Boolean(),
    frame_index: Type.Array(Type.Integer()),
    timestamp: Type.Array(Type.Number()),
    series: Type.Array(series),
  },
  { $id: 'EpisodeRows' },
)

const stream = Type.Object({
  camera_key: Type.String(),
  label: Type.String(),
  url: nullable(
    Type.String({ description: 'The video file that holds the episode; null for cameras stored as images.' }),
  ),
  from_sec: nullable(Type.Number()),
  to_sec: nullable(Type.Number()),
  transforms: transformsRecord,
  poster_url: Type.String(),
  sprite_url: Type.String(),
  clip_url: nullable(Type.String()),
  depth: nullable(
    Type.Object(
      {
        near_mm: nullable(
          Type.Integer({ description: 'Where the range of the camera begins; null where it declares none.' }),
        ),
        far_mm: nullable(Type.Integer()),
        unknown: nullable(
          Type.String({ description: 'Why the distances are not known; null where the depth route answers them.' }),
        ),
      },
      { description: 'Null for a camera that measures no distances.' },
    ),
  ),
})

const media = Type.Object(
  {
    episode_index: Type.Integer(),
    length_frames: Type.Integer(),
    duration_sec: Type.Number(),
    fps: Type.Number(),
    streams: Type.Array(stream),
    expires_at: timestamp,
  },
  { $id: 'EpisodeMedia' },
)

const sprite = Type.Object(
  {
    camera_key: Type.String(),
    offset: Type.Integer(),
    limit: Type.Integer(),
    tile_width: Type.Integer(),
    tile_height: Type.Integer(),
    url: Type.String(),
    expires_at: timestamp,
  },
  { $id: 'EpisodeSprite' },
)

const csvType = 'text/csv'
const arrowType = 'application/vnd.apache.arrow.file'

/** More are rendered bit by bit. */
const mostNumbersAtOnce = 20_000

const splitNames = (text: string | undefined): string[] | undefined =>
  text?.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))

const expiresAt = (): string => new Date(findUrlExpiry() * 1000).toISOString()

const presentDepth = (reading: DepthReading) =>
  'unknown' in reading
    ? { near_mm: null, far_mm: null, unknown: reading.unknown }
    : { near_mm: reading.nearMm, far_mm: reading.farMm, unknown: null }

export const episodeMediaRoutes = [
  defineRoute({
    id: 'getEpisodeRows',
    method: 'GET',
    path: '/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/rows',
    tag: 'Catalog',
    summary: 'The rows of an episode as JSON, CSV or Arrow',
    description:
      'JSON is for charts: at most `points` positions. A longer episode is cut into buckets of equal length; each gives two positions, its first and last frame, which show the smallest and the largest value of the bucket in the order in which they came, so no peak is lost. CSV and Arrow (IPC file) hold every row, and are sent as fast as they are read.',
    credentials: 'optional',
    access: anyone,
    params,
    headers: conditions,
    query: Type.Object({
      columns: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 4000,
          description: 'Names separated by commas; default: all columns of numbers and text.',
        }),
      ),
      points: Type.Integer({ minimum: 2, maximum: 20_000, default: 2000 }),
      recorded: Type.Boolean({
        default: false,
        description:
          'For a version that changes the action: also return `recorded.action`, the original. It can be named in `columns` too.',
      }),
      start_frame: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 })),
      end_frame: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31, description: 'Exclusive.' })),
      format: oneOf(['json', 'csv', 'arrow'], { default: 'json' }),
    }),
    response: item(rows),
    otherTypes: [csvType, arrowType],
    errors: ['not_found', 'conflict'],
    async handle(context, { caller, params: path, query, headers, client, signal }) {
      const found = await openEpisode(context, caller, path.dataset_id, path.episode_index)
      const known = answerConditionally(context, found.seen, headers['if-none-match'], () => undefined as never)
      if (known.status === 304) return known
      const columns = splitNames(query.columns)
      const wantsRecorded = query.recorded || (columns?.includes(recordedAction) ?? false)
      const opened = pickRows(wantsRecorded ? await openRecorded(context, found) : found, {
        columns,
        wantsRecorded: query.recorded,
        startFrame: query.start_frame,
        endFrame: query.end_frame,
      })
      const { entry, model, range } = opened
      const name = `${found.seen.dataset.slug}-episode-${entry.episodeIndex}`
      const reader = { person: caller?.userId ?? client.address, signal }
      if (query.format !== 'json') {
        const [type, open] = query.format === 'csv' ? [`${csvType}; charset=utf-8`, openCsv] : [arrowType, openArrow]
        const { body, sizeBytes } = await open(context, opened, reader)
        return new Reply(body as never, {
          headers: {
            'content-type': type,
            'content-disposition': attachmentDisposition(`${name}.${query.format}`),
            ...known.headers,
            ...(sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }),
          },
        })
      }
      const labels = new Map(model.manifest.features.map((feature) => [feature.name, feature.names]))
      const describe = (page: SeriesPage) => ({
        episode_index: entry.episodeIndex,
        length_frames: entry.lengthFrames,
        fps: model.manifest.fps,
        start_frame: range.startFrame,
        end_frame: range.endFrame,
        ...page,
        series: page.series.map((one) => ({ ...one, names: labels.get(one.name.replace(/^recorded\./, '')) ?? null })),
      })
      return readSeries(context, opened, query.points, reader, async (page) => {
        const item = describe(page)
        if (countNumbers(page) <= mostNumbersAtOnce) {
          const whole = item.series.map((one) => ({ ...one, values: [...one.values] }))
          return new Reply({ item: { ...item, series: whole } }, { headers: known.headers })
        }
        const { body, sizeBytes } = await holdAnswer(context.outgoing, reader.person, renderSeriesJson(item))
        return new Reply(body as never, {
          headers: {
            ...known.headers,
            'content-type': 'application/json; charset=utf-8',
            'content-length': String(sizeBytes),
          },
        })
      })
    },
  }),
  defineRoute({
    id: 'getEpisodeMedia',
    method: 'GET',
    path: '/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/media',
    tag: 'Catalog',
    summary: 'Get the media URLs of an episode',
    description:
      'Signed URLs per camera: the video file with the seconds of the episode in it, a poster, a strip of eight frames, a clip to save. They are the same within an hour.',
    credentials: 'optional',
    access: anyone,
    params,
    headers: conditions,
    response: item(media),
    errors: ['not_found', 'conflict'],
    async handle(context, { caller, params: path, headers }) {
      const { seen, media: of, model, entry } = await openEpisode(context, caller, path.dataset_id, path.episode_index)
      const episode = entry.episodeIndex
      const describe = async (camera: Camera) => {
        const { key, label } = camera
        const depth = await readDepth(context, { media: of, model, entry }, camera)
        const place = placeStream(seen, model, entry, key)
        const name = { episode, camera: key }
        const clip = place ? clipUrl(context, seen, name) : null
        return {
          camera_key: key,
          label,
          url: place?.path === undefined ? clip : videoUrl(context, seen, place.path),
          from_sec: place?.fromSec ?? null,
          to_sec: place?.toSec ?? null,
          transforms: place?.transforms ?? [],
          poster_url: posterUrl(context, seen, { ...name, frame: 0 }),
          sprite_url: spriteUrl(context, seen, name),
          clip_url: clip,
          depth: depth ? presentDepth(depth) : null,
        }
      }
      const streams = await Promise.all(model.manifest.cameras.map(describe))
      const { lengthFrames, durationSec } = entry
      return answerConditionally(context, seen, headers['if-none-match'], () => ({
        item: {
          episode_index: episode,
          length_frames: lengthFrames,
          duration_sec: durationSec,
          fps: model.manifest.fps,
          streams,
          expires_at: expiresAt(),
        },
      }))
    },
  }),
  defineRoute({
    id: 'getEpisodeSpriteUrl',
    method: 'GET',
    path: '/api/v1/catalog/datasets/{dataset_id}/episode-sprite',
    tag: 'Catalog',
    summary: 'Get the thumbnails of a page of episodes',
    description:
      'One picture with the first frames of episodes `offset` to `offset + limit`, one below the other, for tables: tile i begins at pixel row i times `tile_height`.',
    credentials: 'optional',
    access: anyone,
    params: Type.Object({ dataset_id: Type.String() }),
    headers: conditions,
    query: Type.Object({
      camera_key: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      offset: Type.Integer({ minimum: 0, maximum: 2 ** 31, default: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: maxSpriteEpisodes, default: maxSpriteEpisodes }),
    }),
    response: item(sprite),
    errors: ['not_found', 'conflict'],
    async handle(context, { caller, params: path, query, headers }) {
      const seen = await findReadable(context, caller, path.dataset_id)
      const model = await openModel(context, asMedia(seen))
      const key = query.camera_key ?? model.manifest.cameras[0]?.key ?? ''
      const camera = getCameraOf(model, key, ['query', 'camera_key'])
      const { offset, limit } = query
      return answerConditionally(context, seen, headers['if-none-match'], () => ({
        item: {
          camera_key: camera.key,
          offset,
          limit,
          ...measureEpisodeTile(camera),
          url: episodeSpriteUrl(context, seen, { camera: camera.key, offset, limit }),
          expires_at: expiresAt(),
        },
      }))
    },
  }),
]
