import type { Context } from '../context.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import type { PlannedCamera, RecipePlan } from './plan/plan.ts'

/** Bytes that the result will have, from those of the stored files: shares by frames; what is encoded anew also by pixels. */
export async function estimateBytes(
  context: Context,
  revision: Revision,
  model: ReadModel,
  plan: RecipePlan,
): Promise<number> {
  const sizes = await measureFiles(context, revision)
  const share = plan.frameCount / Math.max(1, model.manifest.total_frames)
  const ofCamera = ({ camera, width, height }: PlannedCamera) =>
    ((sizes.get(camera.key) ?? 0) * width * height) / (camera.width * camera.height)
  return Math.round(share * plan.cameras.reduce((sum, planned) => sum + ofCamera(planned), sizes.get('') ?? 0))
}

/** By what the files hold: rows and tables, and each camera's videos. */
async function measureFiles({ db }: Context, revision: Revision): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { path, sizeBytes } of listRevisionFiles(db, revision.id, revision.orgId)) {
    const key = /^videos\/([^/]+)\//.exec(path)?.[1] ?? ''
    sizes.set(key, (sizes.get(key) ?? 0) + sizeBytes)
  }
  return sizes
}
