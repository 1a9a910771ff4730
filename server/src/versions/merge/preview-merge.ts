import { mapTask } from '@nmp/formats/merge/source-map'
import { suggestMaps } from '@nmp/formats/merge/suggest-map'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { estimateBytes } from '../estimate.ts'
import { type MergePart, type MergeRequest, openParts, prepareMerge } from './merge.ts'

/** What several sources would give together: hours and frames of each source and task, and what is encoded. */
export async function previewMerge(context: Context, principal: Principal, asked: MergeRequest) {
  const { parts, plan, counts } = await prepareMerge(context, principal, asked)
  let estimatedBytes = 0
  for (const { source, stored } of parts)
    estimatedBytes += await estimateBytes(context, source.root, source.rootModel, stored)
  const totalWeight = parts.reduce((sum, part) => sum + (part.asked.weight ?? part.plan.frameCount), 0)
  return {
    episode_count: counts.episodeCount,
    frame_count: counts.frameCount,
    duration_sec: counts.frameCount / plan.fps,
    fps: plan.fps,
    robot_type: plan.robotType,
    features: plan.features.map((feature) =>
      feature.kind === 'camera'
        ? { name: feature.name, dtype: feature.storage, shape: [feature.height, feature.width, feature.channels] }
        : { name: feature.name, dtype: feature.dtype, shape: [...feature.shape] },
    ),
    estimated_bytes: estimatedBytes,
    sources: parts.map((part, place) => ({
      source_index: place,
      dataset_id: part.source.seen.dataset.id,
      title: part.source.seen.dataset.title,
      source_fps: part.source.rootModel.manifest.fps,
      ...measure(part.plan.episodes.length, part.plan.frameCount, plan.fps),
      share: (part.asked.weight ?? part.plan.frameCount) / totalWeight,
      cameras: part.plan.cameras.map(({ camera, name, transform }) => ({
        key: camera.key,
        name: plan.sources[place]?.planned.find(({ source }) => source === name)?.name ?? null,
        codec: camera.codec,
        is_changed: transform !== undefined,
      })),
      tasks: listTasks([part], plan.fps),
    })),
    tasks: listTasks(parts, plan.fps),
  }
}

const measure = (episodeCount: number, frameCount: number, fps: number) => ({
  episode_count: episodeCount,
  frame_count: frameCount,
  hours: frameCount / fps / 3600,
})

const mostTasks = 200

/** Episodes and frames by the first task of each episode, most frames first. */
function listTasks(parts: readonly MergePart[], fps: number) {
  const counted = new Map<string, { episodes: number; frames: number }>()
  for (const { derived, asked } of parts)
    for (let episode = 0; episode < derived.episodeCount; episode++) {
      const text = mapTask(derived.listTasksOf(episode)[0] ?? '', asked.map?.tasks)
      const entry = counted.get(text) ?? { episodes: 0, frames: 0 }
      entry.episodes += 1
      entry.frames += derived.columns.lengthFrames[episode] as number
      counted.set(text, entry)
    }
  return [...counted]
    .sort(([, one], [, other]) => other.frames - one.frames)
    .slice(0, mostTasks)
    .map(([task, { episodes, frames }]) => ({ task, ...measure(episodes, frames, fps) }))
}

/** A map for each source that would make it fit the first, with what each line of it rests on. */
export async function suggestMerge(context: Context, principal: Principal, asked: MergeRequest) {
  const parts = await openParts(context, principal, asked)
  return suggestMaps(parts.map(({ described }) => described)).map(({ map, rows }, place) => ({
    source_index: place,
    dataset_id: parts[place]?.source.seen.dataset.id ?? '',
    map,
    rows: rows.map(({ kind, theirs, ours, isSure, reason }) => ({ kind, theirs, ours, is_sure: isSure, reason })),
  }))
}
