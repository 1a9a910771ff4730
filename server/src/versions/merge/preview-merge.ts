import type { PlannedSource } from '@nmp/formats/merge/plan-merge'
import { mapTask } from '@nmp/formats/merge/source-map'
import { suggestMaps } from '@nmp/formats/merge/suggest-map'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { getReadModel } from '../../datasets/read-model/cache.ts'
import { notFound } from '../../errors.ts'
import { type EstimatedSize, estimateBytes, joinEstimates } from '../estimate.ts'
import { describeModel } from './describe-model.ts'
import { type MergePart, type MergeRequest, openParts, prepareMerge } from './merge.ts'
import { findEncoded } from './merged-codecs.ts'

/** What several sources would give together: hours and frames of each source and task, and what is encoded. */
export async function previewMerge(context: Context, principal: Principal, asked: MergeRequest) {
  const { parts, plan, counts } = await prepareMerge(context, principal, asked)
  const sizes: EstimatedSize[] = []
  const encoded = findEncoded(
    parts.map(({ stored }) => stored),
    plan,
  )
  for (const [place, { source, stored }] of parts.entries())
    sizes.push(
      await estimateBytes(context, source.root, source.rootModel, stored, {
        encoded: encoded[place],
        isFurther: place > 0,
      }),
    )
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
    estimated_bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    estimate: joinEstimates(sizes),
    sources: asked.sources.map((_, place) => {
      const own = parts.filter((part) => part.place === place)
      const seen = findSeen(own)
      const sum = (count: (part: MergePart) => number) => own.reduce((total, part) => total + count(part), 0)
      return {
        source_index: place,
        dataset_id: seen?.dataset.id ?? '',
        title: seen?.dataset.title ?? '',
        source_fps: own[0]?.source.rootModel.manifest.fps ?? plan.fps,
        ...measure(
          sum((part) => part.plan.episodes.length),
          sum((part) => part.plan.frameCount),
          plan.fps,
        ),
        share: sum((part) => part.asked.weight ?? part.plan.frameCount) / totalWeight,
        cameras: own.flatMap((part) => listCameras(part, plan.sources[parts.indexOf(part)])),
        tasks: listTasks(own, plan.fps),
      }
    }),
    tasks: listTasks(parts, plan.fps),
  }
}

/** What was asked for: a version of several sources is one of them. */
const findSeen = ([part]: readonly MergePart[]) => part && (part.whole ?? part.source.seen)

const listCameras = ({ plan: { cameras } }: MergePart, source: PlannedSource | undefined) =>
  cameras.map(({ camera, name, transform }) => ({
    key: camera.key,
    name: source?.planned.find((planned) => planned.source === name)?.name ?? null,
    codec: camera.codec,
    is_changed: transform !== undefined,
  }))

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
  const groups = asked.sources.map((_, place) => parts.filter((part) => part.place === place))
  const described = []
  for (const group of groups) described.push(await describeAsked(context, group))
  return suggestMaps(described).map(({ map, rows }, place) => ({
    source_index: place,
    dataset_id: findSeen(groups[place] ?? [])?.dataset.id ?? '',
    map,
    rows: rows.map(({ kind, theirs, ours, isSure, reason }) => ({ kind, theirs, ours, is_sure: isSure, reason })),
  }))
}

async function describeAsked(context: Context, [part]: readonly MergePart[]): Promise<MergePart['described']> {
  if (!part) throw notFound()
  if (!part.whole) return part.described
  const model = await getReadModel(context, part.whole.revision)
  return { ...describeModel(model, model), title: part.whole.dataset.slug }
}
