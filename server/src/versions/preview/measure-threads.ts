import { availableParallelism } from 'node:os'
import { type AnsweringThread, startAnsweringThread } from '../../answering-thread.ts'
import type { ChangedColumn, MeasuredDimension } from './measure-changed.ts'

export interface MeasureQuestion {
  column: ChangedColumn
  /** Dimensions. */
  from: number
  to: number
}

type MeasureThread = AnsweringThread<MeasureQuestion, MeasuredDimension[]>

/** Each holds the values of its dimensions while it works on them. */
const mostThreads = Math.max(1, Math.min(4, availableParallelism()))
const threads = new Set<MeasureThread>()

/** Every dimension of a column, in order; each thread takes its share of them, and the loop goes on meanwhile. */
export async function measureInThreads(column: ChangedColumn): Promise<MeasuredDimension[]> {
  const { dimensionCount } = column
  const shares = Math.min(mostThreads, dimensionCount)
  const bounds = Array.from({ length: shares + 1 }, (_, share) => Math.round((share * dimensionCount) / shares))
  const measured = await Promise.all(
    bounds.slice(1).map((to, share) => findThread().ask({ column, from: bounds[share] ?? 0, to })),
  )
  return measured.flat()
}

/** The one with the least to do; another while there are few. */
function findThread(): MeasureThread {
  const [least] = [...threads].toSorted((one, other) => one.waiting - other.waiting)
  if (least && (least.waiting === 0 || threads.size >= mostThreads)) return least
  const thread: MeasureThread = startAnsweringThread(new URL('./measure-entry.ts', import.meta.url), {
    heapMegabytes: 256,
    refusal: 'The preview could not be computed. Try again in a moment.',
    onEnd: () => threads.delete(thread),
  })
  threads.add(thread)
  return thread
}
