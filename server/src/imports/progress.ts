import type { JobRun } from '../jobs/handler.ts'

/** The phases of an import in their order, with the share of the whole that each usually takes. */
const phases = [
  { name: 'fetch', share: 25, message: 'Fetching the source' },
  { name: 'detect', share: 2, message: 'Finding out what it is' },
  { name: 'inspect', share: 3, message: 'Looking into the files' },
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
  /** How far the phase has come. */
  advance(done: number, total: number, message?: string): void
  showBytes(downloadedBytes: number, totalBytes: number | null): void
  stop(): void
}

/** Oftener than a job writes its progress down: at the same pace one of them misses the other now and then. */
const tickMs = 500
/** The last of a phase's bar belongs to what it does after its last word, such as closing files. */
const wordsShare = 0.97

/**
 * Shows where an import is, all the time. Between two words of the work (one long episode) the bar creeps towards the next
 * one and never reaches it, so that a person sees life and never an end that has not come.
 */
export function startProgress(report: JobRun['report']): ProgressBoard {
  let current = -1
  let base = 0
  let reached = 0
  let next = 0.05
  let shown = 0
  let message = ''
  const write = (): void => {
    const phase = phases[current]
    if (phase) report({ pct: base + phase.share * shown, phase: phase.name, message })
  }
  const ticker = setInterval(() => {
    shown += (next - shown) * 0.03
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
      reached = 0
      shown = 0
      next = 0.9
      message = `${phases[current]?.message ?? name}.`
      write()
    },
    advance(done, total, words) {
      const fraction = total > 0 ? Math.min(1, done / total) * wordsShare : 0
      const step = Math.max(fraction - reached, total > 0 ? 1 / total : 0)
      reached = fraction
      shown = Math.max(shown, fraction)
      next = Math.min(1, fraction + step)
      if (words) message = words
      write()
    },
    showBytes(downloadedBytes, totalBytes) {
      report({ downloadedBytes, ...(totalBytes === null ? {} : { totalBytes }) })
    },
    stop: () => clearInterval(ticker),
  }
}
