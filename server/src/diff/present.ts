import { type EpisodeChange, type EpisodeMatch, episodeChanges } from '@nmp/formats/diff/episode-diff'
import type { MovedDimension } from '@nmp/formats/diff/statistics'
import type { Static } from 'typebox'
import type { Context } from '../context.ts'
import { posterUrl } from '../media/urls.ts'
import type { diffRecord } from './schemas.ts'
import type { ContentDiff, Diff, OpenedSide } from './service.ts'

const mostRanges = 100
const mostStatistics = 500

interface Page {
  kind?: EpisodeChange | undefined
  offset: number
  limit: number
}

export function presentDiff(context: Context, diff: Diff, page: Page): Static<typeof diffRecord> {
  const { from, to, tasks, recipe, content, preparing } = diff
  const isFailed = preparing.some(({ state }) => state === 'failed')
  return {
    from: presentSide(from),
    to: presentSide(to),
    state: content ? 'ready' : isFailed ? 'failed' : 'preparing',
    preparing: preparing.map(({ side, state, jobId, progressPct, message }) => ({
      side,
      state,
      job_id: jobId,
      progress_pct: progressPct,
      message,
    })),
    counts: content?.episodes.counts ?? null,
    episodes: content ? listEpisodes(context, diff, content, page) : null,
    unsearched: content?.episodes.unsearched ?? 0,
    features: content ? listFeatures(content) : null,
    statistics: content
      ? {
          items: content.moved.slice(0, mostStatistics).map((moved) => presentMoved(moved, to)),
          total: content.moved.length,
          unknown: content.unknown,
        }
      : null,
    tasks: {
      from_total: tasks.fromTotal,
      to_total: tasks.toTotal,
      added: tasks.added,
      removed: tasks.removed,
      items: tasks.listed.map(({ task, fromEpisodes, toEpisodes }) => ({
        task,
        from_episodes: fromEpisodes,
        to_episodes: toEpisodes,
      })),
    },
    recipe: recipe.map(({ key, from: before, to: after }) => ({ key, from: before, to: after })),
  }
}

const presentSide = ({ seen, model }: OpenedSide) => ({
  kind: seen.derived ? ('version' as const) : ('revision' as const),
  dataset_id: seen.dataset.id,
  revision_id: seen.derived ? null : seen.revision.id,
  number: seen.revision.number,
  shown: seen.derived !== undefined || seen.revision.id === seen.dataset.currentRevisionId,
  org_slug: seen.org.slug,
  project_slug: seen.project.slug,
  slug: seen.dataset.slug,
  title: seen.dataset.title,
  episode_count: model.episodeCount,
  frame_count: model.manifest.total_frames,
  fps: model.manifest.fps,
  robot_type: model.manifest.robot_type,
  total_sec: model.manifest.statistics.total_recording_sec,
})

function listEpisodes(context: Context, { from, to }: Diff, { episodes, pairs }: ContentDiff, page: Page) {
  const [drawFrom, drawTo] = [drawPosters(context, from), drawPosters(context, to)]
  const present = (match: EpisodeMatch) => ({
    from_episode: match.from,
    to_episode: match.to,
    ...describe('from', from, match.from),
    ...describe('to', to, match.to),
    from_poster_url: match.from === null ? null : drawFrom(match.from),
    to_poster_url: match.to === null ? null : drawTo(match.to),
    kept_frames: match.kept?.slice(0, mostRanges).map(([start, end]) => [start, end]) ?? null,
    relabelled: match.isRelabelled ?? false,
    differs: match.differing?.map((place) => pairs[place]?.to ?? '') ?? [],
  })
  const lists = episodeChanges.map((kind) => {
    const isWanted = page.kind === undefined || page.kind === kind
    const some = isWanted ? episodes.matches[kind].slice(page.offset, page.offset + page.limit) : []
    return [kind, some.map(present)] as const
  })
  return Object.fromEntries(lists) as Record<EpisodeChange, ReturnType<typeof present>[]>
}

function describe<S extends 'from' | 'to'>(side: S, { model }: OpenedSide, episode: number | null) {
  const [frames, tasks] =
    episode === null ? [null, []] : [model.columns.lengthFrames[episode] ?? null, model.listTasksOf(episode)]
  return { [`${side}_frames`]: frames, [`${side}_tasks`]: tasks } as Record<`${S}_frames`, number | null> &
    Record<`${S}_tasks`, string[]>
}

/** The middle of an episode, by its first camera that shows colours. */
function drawPosters(context: Context, { seen, model }: OpenedSide): (episode: number) => string | null {
  const { cameras } = model.manifest
  const camera = cameras.find(({ depth_map }) => !depth_map) ?? cameras[0]
  if (!camera) return () => null
  return (episode) =>
    posterUrl(context, seen, {
      episode,
      camera: camera.key,
      frame: Math.floor((model.columns.lengthFrames[episode] ?? 0) / 2),
    })
}

function listFeatures({ episodes, features }: ContentDiff) {
  const { renamed, reshaped, removed, added } = episodes.features
  const tell = (change: 'added' | 'removed' | 'renamed' | 'reshaped', one: number | null, other: number | null) => {
    const [old, recent] = [
      one === null ? undefined : features.from[one],
      other === null ? undefined : features.to[other],
    ]
    return {
      change,
      kind: (recent ?? old)?.kind ?? ('column' as const),
      from: old?.name ?? null,
      to: recent?.name ?? null,
      from_shape: old?.shape ?? null,
      to_shape: recent?.shape ?? null,
    }
  }
  return [
    ...renamed.map((pair) => tell('renamed', pair.from, pair.to)),
    ...reshaped.map((pair) => tell('reshaped', pair.from, pair.to)),
    ...removed.map((place) => tell('removed', place, null)),
    ...added.map((place) => tell('added', null, place)),
  ]
}

function presentMoved({ feature, dimension, ks, shiftSigmas, from, to }: MovedDimension, { model }: OpenedSide) {
  const names = model.manifest.features.find(({ name }) => name === feature)?.names
  return { feature, dimension, name: names?.[dimension] ?? null, ks, shift_sigmas: shiftSigmas, from, to }
}
