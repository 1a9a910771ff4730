import { createReadStream } from 'node:fs'
import type { StoredChange } from '@nmp/formats/codec/filter'
import type { FrameRange, KeptRanges } from '@nmp/formats/frame-ranges'
import type { Video } from '@nmp/formats/video'
import { createMp4Writer } from '@nmp/formats/video/writer'
import type { Context } from '../context.ts'
import type { Derivation } from '../datasets/read-model/derivation.ts'
import type { EpisodeEntry } from '../datasets/read-model/model.ts'
import { invalidValue } from '../errors.ts'
import { findSoundBlob } from '../storage/blobs.ts'
import type { Blob } from '../storage/repository.ts'
import { locatePictures, storeDerived } from './kept-pictures.ts'
import { getPictureMakers } from './picture-makers.ts'
import type { MediaRevision } from './repository.ts'
import { getCameraOf, getDatasetFile, getEpisodeOf, locateEpisode, openModel } from './service.ts'
import { inTemporaryFile } from './temporary-file.ts'

interface Clip {
  blob: Blob
  fileName: string
}

const underWay = new Map<string, Promise<Blob>>()

/** Exactly the frames of one episode as an MP4 that begins at zero: packets are copied, or encoded as an export would where a version changes their pixels. */
export async function getClip(
  context: Context,
  media: MediaRevision,
  { episode, camera: key }: { episode: number; camera: string },
): Promise<Clip> {
  const model = await openModel(context, media)
  const entry = getEpisodeOf(model, episode)
  const camera = getCameraOf(model, key)
  const place = entry.videos.get(camera.key)
  if (!place) throw invalidValue(['query', 'camera'], `${camera.key} is stored as pictures, so there is no clip`, key)
  const path = `clips/${encodeURIComponent(camera.key)}/${episode}.mp4`
  const kept = locatePictures(media.revision)
  const make = async (): Promise<Blob> => {
    const known = await findSoundBlob(context.db, kept.owner, kept.prefix + path)
    if (known) return known
    const own = locateEpisode({ media, model, entry })
    const { path: name, startFrame } = own.entry.videos.get(camera.key) ?? place
    const { derivation } = own.model
    const source = await getDatasetFile(context, own.media, name)
    const from = locateFrames(derivation, own.entry, startFrame)
    return getPictureMakers(context).videos.use(source, name, (video) =>
      inTemporaryFile(async (file) => {
        const transform = derivation?.transforms.get(camera.key)
        const change = transform && { transform, isDepth: camera.depth_map }
        await writeClip(context, { video, ...from }, file, model.manifest.fps, change)
        return storeDerived(context, kept, path, createReadStream(file))
      }),
    )
  }
  const flight = `${media.revision.id} ${path}`
  const running = underWay.get(flight) ?? make().finally(() => underWay.delete(flight))
  underWay.set(flight, running)
  const shortCamera = camera.key.split('.').at(-1) ?? camera.key
  return { blob: await running, fileName: `${media.dataset.slug}-episode-${episode}-${shortCamera}.mp4` }
}

interface ClipFrames {
  startFrame: number
  endFrame: number
  /** Which frames of the file these are. */
  picked: KeptRanges
}

function locateFrames(
  derivation: Derivation | undefined,
  { episodeIndex, lengthFrames }: EpisodeEntry,
  startFrame: number,
): ClipFrames {
  const ranges = derivation?.frames.get(episodeIndex) ?? [[0, lengthFrames]]
  const moved = startFrame - (ranges[0]?.[0] ?? 0)
  const picked = ranges.map(([from, to]): FrameRange => [from + moved, to + moved])
  return { startFrame, endFrame: picked.at(-1)?.[1] ?? startFrame, picked }
}

async function writeClip(
  context: Context,
  from: ClipFrames & { video: Video },
  path: string,
  fps: number,
  change: StoredChange | undefined,
) {
  if (change) {
    const settings = { codec: change.isDepth ? 'depth' : 'av1', fps } as const
    const { transform } = change
    await getPictureMakers(context).decoder.withCodec((codec) => codec.transcode({ from, path, settings, transform }))
    return
  }
  const writer = createMp4Writer({ path, fps })
  const { video, picked } = from
  if (picked.every(([start, end]) => writer.canAppend(video, start, end))) {
    for (const [start, end] of picked) writer.append(video, start, end)
    await writer.finish()
    return
  }
  // A file whose episodes do not begin at keyframes cannot be cut; its pictures are then encoded once.
  await getPictureMakers(context).decoder.withCodec((codec) =>
    codec.transcode({ from, path, settings: { codec: 'h264', fps } }),
  )
}
