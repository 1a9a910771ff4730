import { isCamera } from '@nmp/formats/feature'
import type { MergePlan } from '@nmp/formats/merge/plan-merge'
import type { RecipePlan } from '../plan/plan.ts'
import type { VideoCodec } from '../try-encoding.ts'

/** By the key of a stored camera: as what its frames are encoded, because most frames of the camera are so in the other sources. */
export type EncodedCameras = ReadonlyMap<string, VideoCodec>

const isVideoCodec = (codec: string | null): codec is VideoCodec => codec === 'av1' || codec === 'h264'

/** For each source the cameras that cannot be copied, as `mergeDatasets` decides it: the codec that most frames have is that of all. */
export function findEncoded(
  parts: readonly Pick<RecipePlan, 'cameras' | 'frameCount'>[],
  { features, sources }: Pick<MergePlan, 'features' | 'sources'>,
): EncodedCameras[] {
  const encoded = parts.map(() => new Map<string, VideoCodec>())
  for (const camera of features.filter(isCamera)) {
    if (camera.depth || camera.storage !== 'video') continue
    const own = parts.map(({ cameras, frameCount }, place) => {
      const theirs = sources[place]?.planned.find(({ name }) => name === camera.name)?.source
      const planned = cameras.find(({ name }) => name === theirs)
      const codec =
        planned && !planned.transform && isVideoCodec(planned.camera.codec) ? planned.camera.codec : undefined
      return { planned, codec, frameCount }
    })
    const votes = new Map<VideoCodec, number>()
    for (const { codec, frameCount } of own) if (codec) votes.set(codec, (votes.get(codec) ?? 0) + frameCount)
    const [chosen = 'av1'] = [...votes].sort(([, one], [, other]) => other - one)[0] ?? []
    for (const [place, { planned, codec }] of own.entries())
      if (planned?.camera.storage === 'video' && codec !== chosen) encoded[place]?.set(planned.camera.key, chosen)
  }
  return encoded
}
