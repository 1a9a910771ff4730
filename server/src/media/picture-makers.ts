import type { Context } from '../context.ts'
import { createFrameDecoder, type FrameDecoder } from './frame-decoder.ts'
import { createKeptPictures } from './kept-pictures.ts'
import { createOpenVideos, type OpenVideos } from './open-videos.ts'

/** What a process needs to make pictures: opened videos, codec processes, pictures made before. */
export interface PictureMakers {
  videos: OpenVideos
  decoder: FrameDecoder
  pictures: ReturnType<typeof createKeptPictures>
}

const makersOf = new WeakMap<Context, PictureMakers>()

/** Made when the first picture is asked for, ended with the program. */
export function getPictureMakers(context: Context): PictureMakers {
  const known = makersOf.get(context)
  if (known) return known
  const videos = createOpenVideos(context.storage)
  const decoder = createFrameDecoder(videos, context.config.NMP_MEDIA_PROCESSES)
  const pictures = createKeptPictures(context)
  const makers = { videos, decoder, pictures }
  makersOf.set(context, makers)
  context.closers.push(async () => {
    await pictures.close()
    await decoder.close()
    await videos.close()
  })
  return makers
}
