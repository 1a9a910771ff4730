import { type CameraFeature, isCamera } from '@nmp/formats/feature'
import type { MergePlan } from '@nmp/formats/merge/plan-merge'
import type { CameraEntry } from '../../datasets/read-model/manifest.ts'
import type { ModelPart, ReadModel } from '../../datasets/read-model/model.ts'

const encoded = { codec: 'av1', pixel_format: 'yuv420p' } as const
type Stream = { codec: string | null; pixel_format: string | null }

/** Each camera as the files will have it: one stream, the one that most frames have already. */
export const describeMergedCameras = (plan: MergePlan, parts: readonly ModelPart[]): CameraEntry[] =>
  plan.features.filter(isCamera).flatMap((feature) => {
    const first = parts.flatMap(({ model }) => findCamera(model, feature.name) ?? [])[0]
    if (!first) return []
    const { width, height, channels, storage } = feature
    const own = { ...first, width, height, channels, storage, fps: plan.fps }
    return [isOneStream(feature) ? { ...own, ...chooseStream(feature.name, parts) } : own]
  })

/** Whether the packets of a part are not those of the files: they are encoded, with what is done to their pixels done. */
export function isEncoded({ model }: ModelPart, camera: CameraEntry): boolean {
  if (model.derivation?.transforms.has(camera.key)) return true
  const own = findCamera(model, camera.key)
  return own?.storage !== camera.storage || nameStream(own) !== nameStream(camera)
}

const isOneStream = ({ storage, depth }: CameraFeature): boolean => storage === 'video' && !depth

const findCamera = ({ manifest }: ReadModel, key: string): CameraEntry | undefined =>
  manifest.cameras.find((camera) => camera.key === key)

const nameStream = ({ codec, pixel_format: format }: Stream): string => `${codec} ${format}`

function chooseStream(key: string, parts: readonly ModelPart[]): Stream {
  const votes = new Map<string, { stream: Stream; frames: number }>()
  for (const { model } of parts) {
    const { codec = null, pixel_format: format = null } = findCamera(model, key) ?? {}
    const isKept = (codec === 'av1' || codec === 'h264') && format === encoded.pixel_format
    if (!isKept || model.derivation?.transforms.has(key)) continue
    const stream = { codec, pixel_format: format }
    const frames = votes.get(nameStream(stream))?.frames ?? 0
    votes.set(nameStream(stream), { stream, frames: frames + model.manifest.total_frames })
  }
  const [most] = [...votes.values()].sort((one, other) => other.frames - one.frames)
  return most?.stream ?? encoded
}
