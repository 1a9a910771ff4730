import { findMedian, findUsual } from './usual.ts'

/** What is known of every episode of a set, by position. */
export interface EpisodeMeasures {
  readonly seconds: Float64Array
  readonly stillSeconds: Float64Array
  readonly longestStillSeconds: Float64Array
  readonly pace: Float64Array
  readonly shake: Float64Array
}

/** An episode that differs from the others of its set. */
export interface Standout {
  readonly position: number
  readonly score: number
  /** Why and by how much, in words. */
  readonly label: string
}

export interface Standouts {
  /** Score: seconds lost to standing still or to a slow pace, as a negative number; the lowest first. */
  readonly lowMotion: readonly Standout[]
  /** Score: how many times the usual jerk of an episode at its pace; the highest first. */
  readonly highVariance: readonly Standout[]
}

/** Fewer have no usual. */
const minEpisodes = 3
/** However alike the others are: a pause is half a second and a tenth of a usual episode longer than theirs, */
const pauseSeconds = 0.5
const pauseShare = 0.1
/** slow is less than this share of their pace, */
const slowShare = 0.48
/** and shaky is this many times their jerk. */
const shakyJerk = 1.4
/** Jerk under this share of the pace is no jerk. */
const smoothShare = 0.01
const maxPacePower = 2.5

/** Who differs from all the others. A rank alone always names somebody, also where all are alike. */
export function findStandouts(measures: EpisodeMeasures): Standouts {
  if (measures.seconds.length < minEpisodes) return { lowMotion: [], highVariance: [] }
  return { lowMotion: findLowMotion(measures), highVariance: findHighVariance(measures) }
}

export interface Rankings {
  /** Positions of all episodes: those that stand still longest at a stretch first, among equals the slower. */
  readonly leastMotion: Uint32Array
  /** Those with the most jerk at their pace first. */
  readonly mostVariance: Uint32Array
}

/** Everybody in the order that the standouts are found by. */
export function rankEpisodes(measures: EpisodeMeasures): Rankings {
  const { longestStillSeconds, pace } = measures
  const { atPace } = compareJerks(measures)
  const rank = (compare: (a: number, b: number) => number): Uint32Array =>
    Uint32Array.from(pace.keys()).sort((a, b) => compare(a, b) || a - b)
  const differ = (values: Float64Array, a: number, b: number): number => (values[a] as number) - (values[b] as number)
  return {
    leastMotion: rank((a, b) => differ(longestStillSeconds, b, a) || differ(pace, a, b)),
    mostVariance: rank((a, b) => differ(atPace, b, a)),
  }
}

function findLowMotion({ seconds, stillSeconds, longestStillSeconds, pace }: EpisodeMeasures): Standout[] {
  const pauses = findUsual(longestStillSeconds)
  const longPause = pauses.median + Math.max(pauses.far, pauseSeconds, pauseShare * findMedian(seconds))
  const paces = findUsual(pace.map(toLog))
  const slowPace = paces.median - Math.max(paces.far, -Math.log(slowShare))
  const found: Standout[] = []
  for (const [position, length] of seconds.entries()) {
    const still = stillSeconds[position] as number
    const pause = longestStillSeconds[position] as number
    const logPace = toLog(pace[position] as number)
    if (logPace < slowPace && still < length / 2) {
      const share = Math.exp(logPace - paces.median)
      const label = `slow throughout: ${formatFactor(share)} times the usual pace`
      found.push({ position, score: -(length * (1 - share)), label })
    } else if (pause > longPause) {
      const usual = `${formatSeconds(pauses.median)} s is usual`
      const label = `still for ${formatSeconds(still)} s of ${formatSeconds(length)} s, ${formatSeconds(pause)} s at a stretch, where ${usual}`
      found.push({ position, score: -still, label })
    }
  }
  return found.sort((a, b) => a.score - b.score || a.position - b.position)
}

/** Held against what is usual at its pace, and against the median jerk, below which nothing shakes. */
function findHighVariance(measures: EpisodeMeasures): Standout[] {
  const { jerks, atPace } = compareJerks(measures)
  const usual = findUsual(atPace)
  const shaky = Math.max(usual.far, Math.log(shakyJerk))
  const medianJerk = findMedian(jerks)
  const found: Standout[] = []
  for (const [position, jerk] of atPace.entries()) {
    const above = jerk - usual.median
    if (above <= shaky || (jerks[position] as number) <= medianJerk) continue
    const score = Math.exp(above)
    found.push({ position, score, label: `${formatFactor(score)} times the median jerk at its pace` })
  }
  return found.sort((a, b) => b.score - a.score || a.position - b.position)
}

/** Fast motion is jerkier than slow motion: `atPace` is what is left when that is taken out. Logarithms. */
function compareJerks({ pace, shake }: EpisodeMeasures): { jerks: Float64Array; atPace: Float64Array } {
  const smooth = findMedian(pace) * smoothShare
  const jerks = shake.map((value) => toLog(Math.max(value, smooth)))
  const paces = pace.map(toLog)
  const power = findPower(paces, jerks)
  return { jerks, atPace: jerks.map((jerk, position) => jerk - power * (paces[position] as number)) }
}

/** How jerk grows with pace, by the calmer quarter of the slowest and of the fastest third: a tremor looks fast, so shaky episodes gather there. */
function findPower(paces: Float64Array, jerks: Float64Array): number {
  const third = Math.floor(paces.length / 3)
  if (third < 3) return 0
  const order = Uint32Array.from(paces.keys()).sort((a, b) => (paces[a] as number) - (paces[b] as number))
  const take = (positions: Uint32Array, values: Float64Array): Float64Array =>
    Float64Array.from(positions, (position) => values[position] as number).sort()
  const [slow, fast] = [order.subarray(0, third), order.subarray(order.length - third)]
  const wider = findMedian(take(fast, paces)) - findMedian(take(slow, paces))
  if (wider < 0.02) return 0
  const calmOf = (positions: Uint32Array): number => take(positions, jerks)[Math.floor((third - 1) / 4)] as number
  return Math.min(maxPacePower, Math.max(0, (calmOf(fast) - calmOf(slow)) / wider))
}

const toLog = (value: number): number => Math.log(Math.max(value, 1e-12))
const formatFactor = (factor: number): string => (factor >= 9.95 ? factor.toFixed(0) : factor.toPrecision(2))
const formatSeconds = (seconds: number): string => seconds.toFixed(2)
