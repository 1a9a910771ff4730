import type { PhaseName } from '../progress.ts'
import type { Prepared, PrepareRequest } from './prepare.ts'
import type { Learned } from './prepare-hooks.ts'

/** What the worker says to the process that prepares a revision. */
export type ToPreparer = { say: 'prepare'; request: PrepareRequest } | { say: 'stop' }

/** What that process says back. The last word is `done` or `failed`. */
export type FromPreparer =
  | { say: 'phase'; phase: PhaseName }
  | { say: 'progress'; done: number; total: number; message: string | undefined }
  | { say: 'unpacking'; bytes: number }
  | { say: 'reading'; path: string }
  | { say: 'learned'; learned: Partial<Learned> }
  | { say: 'done'; prepared: Prepared }
  | { say: 'failed'; error: SentError }

/** An error on its way between processes: which of our two classes it was, or only its words for the log. */
export interface SentError {
  from: 'format' | 'service' | 'unknown'
  code: string
  sentence: string
}
