import type { Dataset, Episode } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { isCamera, isColumn, isNumericDtype } from '../feature.ts'
import type { Finding, Findings, Severity } from '../finding.ts'
import type { MotionScale } from '../statistics/idle.ts'
import type { CheckFinding, CheckReport } from './check-report.ts'
import { readSignals } from './episode-signals.ts'
import { checkRules, ruleFacts, ruleSetVersion } from './index.ts'
import { orderEpisodes } from './look-first.ts'
import { type CameraTraces, traceCamera } from './pictures/camera-traces.ts'
import { SmallPictures } from './pictures/small-pictures.ts'
import type { Rule, RuleRun } from './rule.ts'
import { RuleRecorder } from './rule-recorder.ts'
import type { SetFacts } from './set-facts.ts'
import { reportUnmeasured } from './unmeasured.ts'
import { findUsable, type ReadOptions } from './usable-episodes.ts'

export interface CheckOptions extends ReadOptions {
  /** By rule; what is not named keeps its own. */
  readonly cutOffs?: ReadonlyMap<string, number>
  /** Whether pictures are decoded and looked at, which takes most of the time; default true. */
  readonly pictures?: boolean
  /** Whether what looser cut-offs would find is kept beside the findings; default false. */
  readonly keepsNear?: boolean
  /** Whether a rule that breaks is left out and named, instead of ending the run; default false. */
  readonly outlivesRules?: boolean
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

const severityOrder: readonly Severity[] = ['error', 'warning', 'info']

/**
 * Every rule over every episode and every frame, one episode at a time: memory is that of the largest episode, and some hundred
 * bytes to two kilobytes for each of the others.
 */
export async function runChecks(dataset: Dataset, options: CheckOptions = {}): Promise<CheckReport> {
  const { signal, onProgress, cutOffs = new Map<string, number>() } = options
  requireKnown(cutOffs)
  const { usable, survey, findings } = await findUsable(dataset, options)
  // What was found before is of all the episodes.
  const known = usable.episodeCount === dataset.episodeCount ? options.scale : undefined
  const set = await survey.finish(usable, known, signal)
  reportUnmeasured(set, findings)
  const runs = checkRules.map((rule) => startRule(rule, set, options))
  const attempt = (started: StartedRule, act: (run: RuleRun) => void): void => {
    if (started.failure !== undefined) return
    try {
      act(started.run)
    } catch (error) {
      if (!options.outlivesRules) throw error
      started.failure = describeFailure(error)
    }
  }
  const columns = dataset.features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
  const cameras = options.pictures === false ? [] : listWatched(dataset)
  await using pictures = new SmallPictures(signal)
  for (let position = 0; position < usable.episodeCount; position++) {
    const episode = usable.getEpisode(position)
    const signals = await readSignals({ episode, position, columns, set, maxValues: options.maxValues, signal })
    if (signals.frames < episode.length)
      findings.add(
        'episode-checked-in-part',
        `Episode ${episode.sourceIndex}: the rules have looked at the numbers of its first ${signals.frames} of ${episode.length} frames.`,
        episode.sourceIndex,
      )
    for (const started of runs) attempt(started, (run) => run.look?.(signals))
    const fresh: CameraTraces[] = []
    for (const camera of cameras) {
      const known = await options.seen?.find(episode, position, camera)
      const traces = known ?? (await watchCamera({ pictures, episode, camera, position, findings, signal }))
      if (traces && !known) fresh.push(traces)
      if (traces) for (const started of runs) attempt(started, (run) => run.watch?.(traces, signals))
    }
    if (fresh.length > 0) await options.seen?.keep(episode, position, fresh)
    onProgress?.({ phase: 'rules', done: position + 1, total: usable.episodeCount })
  }
  for (const started of runs) attempt(started, (run) => run.conclude?.())
  return gatherReport(usable, runs, [...dataset.findings, ...findings.list])
}

const describeFailure = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface StartedRule {
  readonly rule: Rule
  readonly recorder: RuleRecorder
  readonly run: RuleRun
  failure: string | undefined
}

function startRule(
  rule: Rule,
  set: SetFacts,
  { cutOffs, keepsNear = false, outlivesRules }: CheckOptions,
): StartedRule {
  const recorder = new RuleRecorder(rule, {
    cutOff: cutOffs?.get(rule.id),
    keepsNear,
    sourceIndexOf: set.sourceIndexOf,
  })
  try {
    return { rule, recorder, run: rule.begin(set, recorder), failure: undefined }
  } catch (error) {
    if (!outlivesRules) throw error
    return { rule, recorder, run: {}, failure: describeFailure(error) }
  }
}

function gatherReport(usable: Dataset, runs: readonly StartedRule[], read: readonly Finding[]): CheckReport {
  // Half of what a rule says is no result.
  const whole = runs.filter(({ failure }) => failure === undefined)
  const found = [...read.map(takeFinding), ...whole.flatMap(({ recorder }) => recorder.findings)].sort(
    (a, b) => severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity),
  )
  const reasons = whole.flatMap(({ recorder }) => recorder.reasons)
  const byRule = <T>(pick: (started: StartedRule) => T | undefined, of = whole): Record<string, T> =>
    Object.fromEntries(
      of.flatMap((started) => {
        const value = pick(started)
        return value === undefined ? [] : [[started.rule.id, value]]
      }),
    )
  return {
    ruleSetVersion,
    episodes: usable.episodeCount,
    frames: usable.frameCount,
    findings: found,
    unlisted: byRule(({ recorder }) => recorder.unlisted || undefined),
    rankings: whole.flatMap(({ recorder }) => recorder.listRankings()),
    lookFirst: orderEpisodes(found, reasons),
    reasons,
    near: whole.flatMap(({ recorder }) => recorder.near),
    unlistedNear: byRule(({ recorder }) => recorder.unlistedNear || undefined),
    strictest: byRule(({ recorder }) => (recorder.strictest.size > 0 ? [...recorder.strictest] : undefined)),
    failed: byRule(({ failure }) => failure, [...runs]),
  }
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

function requireKnown(cutOffs: ReadonlyMap<string, number>): void {
  const known = ruleFacts.filter(({ cutOff }) => cutOff !== null)
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
  until: null,
})
