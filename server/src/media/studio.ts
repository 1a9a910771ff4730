import type { Context } from '../context.ts'
import { createFrameDecoder, type FrameDecoder } from './frame-decoder.ts'
import { createKeptPictures } from './kept-pictures.ts'
import { createVideoShelf, type VideoShelf } from './video-shelf.ts'

/** What a process needs to make pictures: opened videos, codec processes, pictures made before. */
export interface Studio {
  shelf: VideoShelf
  decoder: FrameDecoder
  pictures: ReturnType<typeof createKeptPictures>
}

const studios = new WeakMap<Context, Studio>()

/** Made when the first picture is asked for, ended with the program. */
export function getStudio(context: Context): Studio {
  const known = studios.get(context)
  if (known) return known
  const shelf = createVideoShelf(context.storage)
  const decoder = createFrameDecoder(shelf, context.config.NMP_MEDIA_PROCESSES)
  const pictures = createKeptPictures(context)
  const studio = { shelf, decoder, pictures }
  studios.set(context, studio)
  context.closers.push(async () => {
    await pictures.close()
    await decoder.close()
    await shelf.close()
  })
  return studio
}
