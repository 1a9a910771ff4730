import type { FrameForm } from '@nmp/formats/writers/frame-form'
import type { TargetFacts } from '@nmp/formats/writers/writer'
import type { Context } from '../context.ts'
import { getSizeTrials, type SizeEstimate } from '../versions/size-trials.ts'
import type { VersionSourceModel } from './version-source.ts'

interface FrameTrials {
  find: NonNullable<TargetFacts['findFrameBytes']>
  /** Of what was asked for until now. */
  estimates: { estimate: SizeEstimate }[]
}

/** What frames take in the form of a target: some are tried beside the answer. Those of several sources are not. */
export function createFrameTrials(
  context: Context,
  { parts: [{ revision, model, plan }], merge }: VersionSourceModel,
  { videoBytes, frameCount }: Pick<TargetFacts, 'videoBytes' | 'frameCount'>,
): FrameTrials {
  const estimates: FrameTrials['estimates'] = []
  const find = ({ name }: { name: string }, form: FrameForm): number | undefined => {
    const planned = merge ? undefined : plan.cameras.find((camera) => camera.name === name)
    if (!planned) {
      estimates.push({ estimate: 'rough' })
      return undefined
    }
    const { codec, storage } = planned.camera
    if (form.as === 'h264' && codec === 'h264' && storage === 'video' && !planned.transform)
      return (videoBytes.get(name) ?? 0) / Math.max(1, frameCount)
    const wanted = form.as === 'h264' ? { codec: form.as } : { form }
    const found = getSizeTrials(context).find({ revision, model, planned, fps: plan.fps, ...wanted }, plan)
    estimates.push(found)
    return found.tried.frameCount > 0 ? found.tried.writtenBytes / found.tried.frameCount : undefined
  }
  return { find, estimates }
}
