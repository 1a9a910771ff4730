import { listTransforms } from '@nmp/formats/image'
import { type Static, Type } from 'typebox'
import { hasGaps, showsMore } from '../datasets/read-model/derivation.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { findFile, findPart } from '../datasets/read-model/parts.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { nullable, oneOf } from '../http/schemas.ts'

const pixels = Type.Integer({ minimum: 0 })

/** What a player does to the frames of a stream before it shows them. */
export const transformsRecord = Type.Array(
  Type.Object({
    crop: nullable(Type.Object({ left: pixels, top: pixels, width: pixels, height: pixels })),
    resize: nullable(Type.Object({ width: pixels, height: pixels, mode: oneOf(['fit', 'fill', 'stretch']) })),
  }),
  {
    description:
      'What a player still has to do to the frames of `url`, in order: crop (in their pixels), then resize. Only for versions that are not exported; otherwise empty. Posters, sprites and clips are already transformed.',
  },
)

export interface PlacedStream {
  /** The file with the frames; undefined where they are to be had as a clip of the episode alone. */
  path: string | undefined
  fromSec: number
  toSec: number
  startFrame: number
  transforms: Static<typeof transformsRecord>
}

/**
 * Where a player finds the episode; undefined for a camera kept as pictures. A file of the source that shows more than the version is
 * for those who may read the source: others get the episode cut out, and what is done to its pixels done. So does everybody where frames
 * in between are left out.
 */
export function placeStream(
  { derived }: Pick<SeenDataset, 'derived'>,
  model: ReadModel,
  { episodeIndex, videos, durationSec }: EpisodeEntry,
  camera: string,
): PlacedStream | undefined {
  const video = videos.get(camera)
  if (!video) return undefined
  const part = model.parts && findPart(model.parts, episodeIndex)
  const { derivation } = part?.model ?? model
  const stored = (model.parts && findFile(model.parts, video.path)?.path) ?? video.path
  const isHidden = derivation && showsMore(derivation, camera, stored) && !derived?.isSourceOpen
  if (isHidden || hasGaps(derivation, episodeIndex - (part?.start ?? 0)))
    return { path: undefined, fromSec: 0, toSec: durationSec, startFrame: 0, transforms: [] }
  const transforms = listTransforms(derivation?.transforms.get(camera)).map(({ crop, resize }) => ({
    crop: crop ?? null,
    resize: resize ?? null,
  }))
  return { ...video, transforms }
}
