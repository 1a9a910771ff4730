import type { Dataset, Episode } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { isCamera } from '../feature.ts'
import type { Findings } from '../finding.ts'
import type { MotionScale } from '../statistics/idle.ts'
import type { CheckReport } from './check-report.ts'
import { HeldRows, listNumeric, readSignals, reportPart } from './episode-signals.ts'
import { type CameraTraces, traceCamera } from './pictures/camera-traces.ts'
import { SmallPictures } from './pictures/small-pictures.ts'
import { RuleRuns, type RunOptions, requireKnown } from './rule-runs.ts'
import { reportUnmeasured } from './unmeasured.ts'
import { findUsable, type ReadOptions } from './usable-episodes.ts'

export interface CheckOptions extends ReadOptions, RunOptions {
  /** Whether pictures are decoded and looked at, which takes most of the time; default true. */
  readonly pictures?: boolean
  /** What is motion in this dataset, where that was found before: it takes several readings of it. */
  readonly scale?: MotionScale | undefined
  /** Values of state and action that are held at once; of a longer episode the first frames are looked at. Default 16 million, 128 MB. */
  readonly maxValues?: number
  /** What was seen in pictures before, which are then not decoded again. */
  readonly seen?: SeenPictures
}

/** Keeps what was measured of a camera of an episode, so that a run that was ended goes on where it was. */
export interface SeenPictures {
  find(episode: Episode, position: number, camera: string): Promise<CameraTraces | undefined>
  /** After the last camera of an episode. */
  keep(episode: Episode, position: number, traces: readonly CameraTraces[]): Promise<void>
}

/**
 * Every rule over every episode and every frame, one episode at a time: memory is that of the largest episode, and some hundred
 * bytes to two kilobytes for each of the others.
 */
export async function runChecks(dataset: Dataset, options: CheckOptions = {}): Promise<CheckReport> {
  const { signal, onProgress } = options
  requireKnown(options)
  const { usable, survey, findings } = await findUsable(dataset, options)
  // What was found before is of all the episodes.
  const known = usable.episodeCount === dataset.episodeCount ? options.scale : undefined
  const set = await survey.finish(usable, known, signal)
  reportUnmeasured(set, findings)
  const runs = new RuleRuns(set, options)
  const columns = listNumeric(dataset)
  const rows = new HeldRows()
  const cameras = options.pictures === false ? [] : listWatched(dataset)
  await using pictures = new SmallPictures(signal)
  for (let position = 0; position < usable.episodeCount; position++) {
    const episode = usable.getEpisode(position)
    const signals = await readSignals({ episode, position, columns, set, rows, maxValues: options.maxValues, signal })
    reportPart(signals, episode, findings)
    runs.look(signals)
    const fresh: CameraTraces[] = []
    for (const camera of cameras) {
      const known = await options.seen?.find(episode, position, camera)
      const traces = known ?? (await watchCamera({ pictures, episode, camera, position, findings, signal }))
      if (traces && !known) fresh.push(traces)
      if (traces) runs.watch(traces, signals)
    }
    if (fresh.length > 0) await options.seen?.keep(episode, position, fresh)
    onProgress?.({ phase: 'rules', done: position + 1, total: usable.episodeCount })
  }
  return runs.conclude(usable, [...dataset.findings, ...findings.list])
}

/** Depth has neither light nor colour. */
const listWatched = ({ features }: Dataset): string[] =>
  features.filter(isCamera).flatMap(({ name, depth, channels }) => (depth || channels === 1 ? [] : [name]))

interface WatchRequest {
  readonly pictures: SmallPictures
  readonly episode: Episode
  readonly camera: string
  readonly position: number
  readonly findings: Findings
  readonly signal: AbortSignal | undefined
}

/** Undefined where the pictures cannot be read, which is then among the findings. */
async function watchCamera({ pictures, episode, camera, position, findings, signal }: WatchRequest) {
  try {
    const frames = await episode.openCamera(camera)
    return await traceCamera(position, camera, episode.length, pictures.read(camera, frames))
  } catch (error) {
    if (!(error instanceof FormatError) || signal?.aborted || error.code === 'child_failed') throw error
    const { sourceIndex } = episode
    if (error.code === 'codec_missing') findings.addOnce('camera-not-measured', error.message)
    else findings.add('video-unreadable', `Episode ${sourceIndex}: ${camera}: ${error.message}`, sourceIndex)
    return undefined
  }
}
