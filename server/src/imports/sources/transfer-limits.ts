/** The bounds of a transfer. Tests give smaller ones; the program runs with the ones below. */
export interface TransferLimits {
  connectMs: number
  /** Longest wait for the next byte, and for an answer's head. */
  idleMs: number
  /** A transfer that brings less than `slowBytes` in this much waiting is broken off. */
  slowWindowMs: number
  slowBytes: number
  /** Tries of one request, or of one file without progress worth the name. */
  attempts: number
  progressBytes: number
  /** First wait between tries; it doubles, with jitter. */
  backoffMs: number
  /** A source that asks for a longer wait than this sends the whole job to the back of the queue instead. */
  longestWaitMs: number
  /** Files from this size on are read in segments, several at a time; held in memory until their turn. */
  parallelFromBytes: number
  segmentBytes: number
  segmentsAhead: number
  /** Files of one source. */
  maxFiles: number
}

const mebibyte = 2 ** 20

export const transferLimits: TransferLimits = {
  connectMs: 10_000,
  idleMs: 30_000,
  slowWindowMs: 60_000,
  slowBytes: 64 * 1024,
  attempts: 6,
  progressBytes: 4 * mebibyte,
  backoffMs: 500,
  longestWaitMs: 60_000,
  parallelFromBytes: 64 * mebibyte,
  segmentBytes: 8 * mebibyte,
  segmentsAhead: 4,
  maxFiles: 500_000,
}
