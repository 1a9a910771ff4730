import type { Dataset } from '../dataset.ts'
import { countValues, isColumn, isNumericDtype } from '../feature.ts'

/** The name that LeRobot gives it, and our reading of HDF5 files too. */
export const successColumn = 'next.success'

/** What `readSuccess` says of an episode. */
export const outcome = { failure: 0, success: 1 } as const

/**
 * By episode, what its rows say: a success where any row is one, as lerobot's own evaluation counts. Undefined where no column says it.
 */
export async function readSuccess(dataset: Dataset, abort?: AbortSignal): Promise<Uint8Array | undefined> {
  const column = dataset.features.filter(isColumn).find(({ name }) => name === successColumn)
  if (!column || !isNumericDtype(column.dtype) || countValues(column.shape) !== 1) return undefined
  const outcomes = new Uint8Array(dataset.episodeCount)
  const request = { columns: [successColumn], ...(abort && { signal: abort }) }
  for (let position = 0; position < outcomes.length; position++) {
    for await (const { columns } of dataset.getEpisode(position).readBlocks(request)) {
      const rows = columns.get(successColumn) as ArrayLike<number | bigint>
      for (let row = 0; row < rows.length; row++) if (Number(rows[row]) > 0) outcomes[position] = outcome.success
    }
  }
  return outcomes
}
