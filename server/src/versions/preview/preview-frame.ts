import { decodeImage, encodeJpeg, type PixelTransform, reshapePixels } from '@nmp/formats/image'
import type { Context } from '../../context.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { getPoster } from '../../media/pictures.ts'
import { posterUrl } from '../../media/urls.ts'
import type { PlannedCamera } from '../plan/plan.ts'

/** A preview is looked at, not measured: no side is longer. */
const maxSide = 640

/** One frame as it is and as it would be; the second one is made from the picture of the first. */
export async function previewFrame(
  context: Context,
  seen: SeenDataset,
  { camera, transform, width, height }: PlannedCamera,
  episode: number,
  frame: number,
) {
  const place = { episode, camera: camera.key, frame }
  const before = { url: posterUrl(context, seen, place), width: camera.width, height: camera.height }
  const after = transform ? await makeAfter(context, seen, camera, transform, place) : before.url
  return {
    camera_key: camera.key,
    episode_index: episode,
    frame_index: frame,
    before,
    after: { url: after, width, height },
  }
}

async function makeAfter(
  context: Context,
  { dataset, revision }: SeenDataset,
  camera: { width: number; height: number },
  transform: PixelTransform,
  place: { episode: number; camera: string; frame: number },
): Promise<string> {
  const media = {
    dataset: { id: dataset.id, slug: dataset.slug, visibility: dataset.visibility, projectId: dataset.projectId },
    revision,
  }
  const poster = await getPoster(context, media, { ...place, width: maxSide, format: 'jpeg' })
  const picture = await decodeImage(poster.bytes)
  const scale = { x: picture.width / camera.width, y: picture.height / camera.height }
  const changed = await reshapePixels(picture, scaleTransform(transform, picture, scale))
  const jpeg = await encodeJpeg(changed, { quality: 80 })
  return `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`
}

/** The same transform on a picture of another size. */
function scaleTransform(
  { crop, resize }: PixelTransform,
  picture: { width: number; height: number },
  scale: { x: number; y: number },
): PixelTransform {
  const left = Math.min(picture.width - 1, Math.round((crop?.left ?? 0) * scale.x))
  const top = Math.min(picture.height - 1, Math.round((crop?.top ?? 0) * scale.y))
  const within = (length: number, start: number, whole: number) =>
    Math.max(1, Math.min(Math.round(length), whole - start))
  const shrink = resize && Math.min(1, maxSide / Math.max(resize.width, resize.height))
  return {
    ...(crop && {
      crop: {
        left,
        top,
        width: within(crop.width * scale.x, left, picture.width),
        height: within(crop.height * scale.y, top, picture.height),
      },
    }),
    ...(resize &&
      shrink && {
        resize: { ...resize, width: Math.round(resize.width * shrink), height: Math.round(resize.height * shrink) },
      }),
  }
}
