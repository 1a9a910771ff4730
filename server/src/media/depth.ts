import { encodePng } from '@nmp/formats/image'
import type { Context } from '../context.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { measureDepth, readDepth } from './depth-reading.ts'
import { takeDepth } from './frames.ts'
import { type KeptPicture, locatePictures } from './kept-pictures.ts'
import { getPictureMakers } from './picture-makers.ts'
import { pickWidth } from './pictures.ts'
import type { MediaRevision } from './repository.ts'
import { getCameraOf, getFrameOf, openModel } from './service.ts'

export interface DepthRequest {
  episode: number
  camera: string
  /** Within the episode. */
  frame: number
  width: number
}

/** A frame's distances as a 16-bit grey PNG: a pixel is a number of millimetres, zero where nothing was measured. */
export async function getDepthFrame(
  context: Context,
  media: MediaRevision,
  request: DepthRequest,
): Promise<KeptPicture> {
  const { episode, frame } = request
  const model = await openModel(context, media)
  const entry = getFrameOf(model, episode, frame)
  const camera = getCameraOf(model, request.camera)
  const reading = await readDepth(context, { media, model, entry }, camera)
  if (!reading) throw invalidValue(['query', 'camera'], `${camera.key} measures no distances`, camera.key)
  if ('unknown' in reading) throw new ServiceError('conflict', reading.unknown)
  const maxWidth = pickWidth(request.width)
  return getPictureMakers(context).pictures.get({
    place: locatePictures(media.revision),
    path: `depths/${encodeURIComponent(camera.key)}/${episode}/${frame}-${maxWidth}.png`,
    isStored: false,
    make: async () => {
      const stored = await takeDepth(context, media, { model, entry, camera, frame, maxWidth })
      return encodePng(measureDepth(stored, reading), { compressionLevel: pngLevel })
    },
  })
}

/** Somebody waits for it, and it is sent a few times at most. */
const pngLevel = 3
