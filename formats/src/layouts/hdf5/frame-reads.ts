/** Which rows of a camera are read at once. */
import { type Hdf5Dataset, maxSliceBytes } from '../../containers/hdf5/hdf5.ts'
import type { Findings } from '../../finding.ts'
import type { Hdf5Entry } from './catalog.ts'
import type { Hdf5Files } from './files.ts'
import type { CameraPlan } from './plan.ts'

// Larger fresh buffers cost more in page faults than in reading (measured: 8 MiB half the CPU of 32).
const maxReadBytes = 8 * 1024 * 1024

export interface FrameContext {
  readonly files: Hdf5Files
  readonly entry: Hdf5Entry
  readonly camera: CameraPlan
  readonly findings: Findings
  /** A new path for a file that is removed when the dataset is closed. */
  createScratchPath(): Promise<string>
}

export interface FrameRange {
  readonly start: number
  readonly end: number
}

/** Ranges of frames: single ones as asked for, else runs that end where chunks end. */
export function planReads(
  frames: readonly number[] | undefined,
  length: number,
  dataset: Hdf5Dataset,
  rowBytes: number,
  firstRow: number,
): FrameRange[] {
  if (frames) return frames.map((frame) => ({ start: frame, end: frame + 1 }))
  const rowsPerChunk = dataset.chunks?.[0] ?? 1
  const wished = Math.max(1, Math.floor(maxReadBytes / Math.max(1, rowBytes)))
  const isWholeChunk = rowsPerChunk * rowBytes <= maxSliceBytes
  const step = wished > rowsPerChunk ? wished - (wished % rowsPerChunk) : isWholeChunk ? rowsPerChunk : wished
  const reads: FrameRange[] = []
  let start = 0
  while (start < length) {
    const end = Math.min(length, (Math.floor((firstRow + start) / step) + 1) * step - firstRow)
    reads.push({ start, end })
    start = end
  }
  return reads
}
