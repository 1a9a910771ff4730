import type { JobRun } from '../jobs/handler.ts'

/** The phases of an import in their order, with the share of the whole that each usually takes. */
const phases = [
  { name: 'fetch', share: 25, message: 'Fetching the source' },
  { name: 'detect', share: 2, message: 'Detecting the format' },
  { name: 'inspect', share: 3, message: 'Inspecting the files' },
  { name: 'convert', share: 45, message: 'Writing the canonical dataset' },
  { name: 'verify', share: 3, message: 'Counting rows and frames' },
  { name: 'previews', share: 7, message: 'Making previews' },
  { name: 'read_model', share: 5, message: 'Measuring every episode' },
  { name: 'publish', share: 10, message: 'Storing the result' },
] as const

export type PhaseName = (typeof phases)[number]['name']

export interface ProgressBoard {
  readonly phase: PhaseName | null
  enter(phase: PhaseName): void
  /** How far the phase has come; a total of null says that nobody knows yet. */
  advance(done: number, total: number | null, message?: string): void
  showBytes(downloadedBytes: number, totalBytes: number | null): void
  stop(): void
}

/** Oftener than a job writes its progress down: at the same pace one of them misses the other now and then. */
const tickMs = 500
/** The last of a phase's bar belongs to what it does after its last word, such as closing files. */
const wordsShare = 0.97
/** A phase that has said nothing for so long shows that it is alive by its seconds. */
const quietMs = 2000

/**
 * Shows where an import is, all the time. No percentage is made up: there is none before the size of the source is known, and a
 * phase that has not said how much there is to do stands at its start. Between two words of the work (one long episode) the bar
 * creeps towards the next one and never reaches it, so that a person sees life and never an end that has not come.
 */
export function startProgress(report: JobRun['report'], attempt = 1): ProgressBoard {
  const prefix = attempt > 1 ? `Attempt ${attempt}: ` : ''
  let current = -1
  let base = 0
  let reached = 0
  let next = 0
  let shown = 0
  let isSized = false
  let message = ''
  let saidAt = Date.now()
  const write = (): void => {
    const phase = phases[current]
    if (!phase) return
    const quiet = Date.now() - saidAt
    const life = quiet < quietMs ? '' : ` ${Math.floor(quiet / 1000)} s so far.`
    report({
      ...(isSized ? { pct: base + phase.share * shown } : {}),
      phase: phase.name,
      message: prefix + message + life,
    })
  }
  const ticker = setInterval(() => {
    shown += Math.max(0, next - shown) * 0.03
    write()
  }, tickMs)
  ticker.unref()
  return {
    get phase() {
      return phases[current]?.name ?? null
    },
    enter(name) {
      current = phases.findIndex((phase) => phase.name === name)
      base = phases.slice(0, current).reduce((sum, { share }) => sum + share, 0)
      // What comes before a later phase is over, whatever its size was.
      isSized ||= current > 0
      reached = 0
      shown = 0
      next = 0
      message = `${phases[current]?.message ?? name}.`
      saidAt = Date.now()
      write()
    },
    advance(done, total, words) {
      if (total !== null && total > 0) {
        const fraction = Math.min(1, done / total) * wordsShare
        const step = Math.max(fraction - reached, 1 / total)
        reached = fraction
        shown = Math.max(shown, fraction)
        next = Math.max(next, Math.min(1, fraction + step))
        isSized = true
      }
      if (words) message = words
      saidAt = Date.now()
      write()
    },
    showBytes(downloadedBytes, totalBytes) {
      report({ downloadedBytes, ...(totalBytes === null ? {} : { totalBytes }) })
    },
    stop: () => clearInterval(ticker),
  }
}
