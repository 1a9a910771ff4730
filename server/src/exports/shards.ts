import type { BlobOwner } from '../storage/repository.ts'
import type { PlannedCamera, RecipePlan } from '../versions/plan/plan.ts'

/** Enough parts for a fleet, none so small that starting it costs more than its work, none too long to repeat. */
const parts = 64
const smallestFrames = 500
const largestFrames = 20_000

export interface ShardPlan {
  position: number
  /** As `nameEpisode` calls them. */
  episodes: number[]
  /** Of all cameras together. */
  frameCount: number
}

/** Cameras that are encoded ahead of the writer. Pictures kept in rows are changed while the rows are written. */
export const listEncodedCameras = ({ cameras }: RecipePlan): PlannedCamera[] =>
  cameras.filter(({ camera, transform }) => transform !== undefined && camera.storage === 'video')

/** What shards call an episode: its number in the source, or its place in the result where several may come of one. */
export const nameEpisode = ({ episodes, isCut }: RecipePlan, position: number): number =>
  isCut ? position : (episodes[position] ?? -1)

/** Where the frames of an episode lie: its number in the source, and which of its frames, where that is not all of them. */
export function findEpisode({ episodes, frames, isCut }: RecipePlan, name: number) {
  return isCut ? { episode: episodes[name] ?? -1, ranges: frames.get(name) } : { episode: name, ranges: undefined }
}

/** Consecutive episodes, by frames; the result does not depend on where they are cut. */
export function planShards(plan: RecipePlan): ShardPlan[] {
  const cameraCount = listEncodedCameras(plan).length
  if (cameraCount === 0) return []
  const total = plan.frameCount * cameraCount
  const target = Math.min(largestFrames, Math.max(smallestFrames, total / parts))
  const shards: ShardPlan[] = []
  for (const [position, length] of plan.lengths.entries()) {
    const frames = length * cameraCount
    const name = nameEpisode(plan, position)
    const last = shards.at(-1)
    if (last && last.frameCount + frames <= target) {
      last.episodes.push(name)
      last.frameCount += frames
    } else shards.push({ position: shards.length, episodes: [name], frameCount: frames })
  }
  return shards
}

/** What the shards of an export have made, until the export is over. */
export const stagedOwner = (exportId: string, orgId: string): BlobOwner => ({ kind: 'export', id: exportId, orgId })

export const stagedPath = (camera: string, episode: number, extension: 'mp4' | 'json'): string =>
  `${camera}/${String(episode).padStart(9, '0')}.${extension}`
