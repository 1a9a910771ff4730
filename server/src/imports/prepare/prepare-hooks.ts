import type { FoundEpisode } from '@nmp/formats/errors'
import type { Finding } from '@nmp/formats/finding'
import type { Hdf5Summary } from '@nmp/formats/inspect/hdf5-summary'
import type { PhaseName } from '../progress.ts'

export interface PrepareHooks {
  signal: AbortSignal
  onPhase(phase: PhaseName): void
  onProgress(done: number, total: number, message?: string): void
  /** How many bytes came out of archives so far. */
  onUnpacking(bytes: number): void
  /** Which file of the source is opened now. */
  onReading(path: string): void
  /** What was learned before the end, for the report of an import that fails. */
  onLearned(learned: Partial<Learned>): void
}

export interface Origin {
  layout: string
  version: string
  details: Record<string, unknown>
}

export interface Learned {
  origin: Origin | null
  hdf5: Hdf5Summary | null
  findings: readonly Finding[]
  /** The first of them, and how many there are. */
  found: { readonly episodes: readonly FoundEpisode[]; readonly count: number }
}
