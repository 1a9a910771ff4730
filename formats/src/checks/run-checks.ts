import type { Dataset, Episode } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { isCamera, isColumn, isNumericDtype } from '../feature.ts'
import type { Finding, Severity } from '../finding.ts'
import type { CheckFinding, CheckReport } from './check-report.ts'
import { readSignals } from './episode-signals.ts'
import { checkRules, ruleSetVersion } from './index.ts'
import { orderEpisodes } from './look-first.ts'
import { type CameraTraces, traceCamera } from './pictures/camera-traces.ts'
import { SmallPictures } from './pictures/small-pictures.ts'
import { RuleRecorder } from './rule-recorder.ts'
import { findUsable, type ReadOptions } from './usable-episodes.ts'

export interface CheckOptions extends ReadOptions {
  /** By rule; what is not named keeps its own. */
  readonly cutOffs?: ReadonlyMap<string, number>
  /** Whether pictures are decoded and looked at, which takes most of the time; default true. */
  readonly pictures?: boolean
}

const severityOrder: readonly Severity[] = ['error', 'warning', 'info']

/**
 * Every rule over every episode and every frame, one episode at a time: memory is that of the largest episode, and some hundred
 * bytes to two kilobytes for each of the others.
 */
export async function runChecks(dataset: Dataset, options: CheckOptions = {}): Promise<CheckReport> {
  const { signal, onProgress, cutOffs = new Map<string, number>() } = options
  requireKnown(cutOffs)
  const { usable, survey, findings } = await findUsable(dataset, options)
  const set = await survey.finish(usable, signal)
  const runs = checkRules.map((rule) => {
    const recorder = new RuleRecorder(rule, cutOffs.get(rule.id), set.sourceIndexOf)
    return { rule, recorder, run: rule.begin(set, recorder) }
  })
  const columns = dataset.features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
  const cameras = options.pictures === false ? [] : listWatched(dataset)
  await using pictures = new SmallPictures(signal)
  for (let position = 0; position < usable.episodeCount; position++) {
    const episode = usable.getEpisode(position)
    const signals = await readSignals({ episode, position, columns, set, signal })
    for (const { run } of runs) run.look?.(signals)
    for (const camera of cameras) {
      const traces = await watchCamera(pictures, episode, camera, position).catch((error: unknown) => {
        if (!(error instanceof FormatError) || signal?.aborted || error.code === 'child_failed') throw error
        if (error.code === 'codec_missing') findings.addOnce('camera-not-measured', error.message)
        else
          findings.add(
            'video-unreadable',
            `Episode ${episode.sourceIndex}: ${camera}: ${error.message}`,
            episode.sourceIndex,
          )
        return undefined
      })
      if (traces) for (const { run } of runs) run.watch?.(traces, signals)
    }
    onProgress?.({ phase: 'rules', done: position + 1, total: usable.episodeCount })
  }
  for (const { run } of runs) run.conclude?.()
  const found = [
    ...[...dataset.findings, ...findings.list].map(takeFinding),
    ...runs.flatMap(({ recorder }) => recorder.findings),
  ].sort((a, b) => severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity))
  const unlisted = runs.filter(({ recorder }) => recorder.unlisted > 0)
  return {
    ruleSetVersion,
    episodes: usable.episodeCount,
    frames: usable.frameCount,
    findings: found,
    unlisted: Object.fromEntries(unlisted.map(({ rule, recorder }) => [rule.id, recorder.unlisted])),
    rankings: runs.flatMap(({ recorder }) => recorder.listRankings()),
    lookFirst: orderEpisodes(
      found,
      runs.flatMap(({ recorder }) => recorder.reasons),
    ),
  }
}

/** Depth has neither light nor colour. */
const listWatched = ({ features }: Dataset): string[] =>
  features.filter(isCamera).flatMap(({ name, depth, channels }) => (depth || channels === 1 ? [] : [name]))

async function watchCamera(
  pictures: SmallPictures,
  episode: Episode,
  camera: string,
  position: number,
): Promise<CameraTraces> {
  const frames = await episode.openCamera(camera)
  return traceCamera(position, camera, episode.length, pictures.read(camera, frames))
}

function requireKnown(cutOffs: ReadonlyMap<string, number>): void {
  const known = checkRules.filter(({ cutOff }) => cutOff !== null)
  for (const [id, value] of cutOffs) {
    if (!known.some((rule) => rule.id === id))
      throw new FormatError(
        'unsupported',
        `There is no cut-off of ${JSON.stringify(id)}; rules with one: ${known.map((rule) => rule.id).join(', ')}.`,
      )
    if (!Number.isFinite(value)) throw new FormatError('unsupported', `The cut-off of ${id} must be a number.`)
  }
}

/** What was found while the files were read, in the same form. */
const takeFinding = ({ rule, severity, episode, sentence }: Finding): CheckFinding => ({
  rule,
  severity,
  episodeIndex: episode,
  frameFrom: null,
  frameTo: null,
  camera: null,
  feature: null,
  value: null,
  cutOff: null,
  sentence,
})
