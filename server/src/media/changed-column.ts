import type { Block, BlockRequest, Episode, Values } from '@nmp/formats/dataset'
import { type ColumnFeature, countValues, type NumericArray } from '@nmp/formats/feature'
import type { ColumnRequest, ParquetReader } from '@nmp/formats/parquet'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { replayEpisode } from '../datasets/read-model/replay.ts'

/** The action as it was recorded, beside what a version makes of it. */
export const recordedAction = 'recorded.action'

/** Where the rows of the stored episode lie. */
interface StoredRows {
  reader: ParquetReader
  path: string
  startRow: number
}

/** Answers rows of a stored column as the recipes change it: each result depends on frames around it, which are read with it. */
export function createChangedColumn(
  { derivation, manifest }: ReadModel,
  position: number,
  { reader, path, startRow }: StoredRows,
  feature: ColumnFeature,
  request: ColumnRequest,
): (startFrame: number, endFrame: number, signal: AbortSignal) => Promise<NumericArray> {
  const length = derivation?.storedLength[position] ?? 0
  const readBlocks = async function* ({
    startFrame = 0,
    endFrame = length,
    signal,
  }: BlockRequest = {}): AsyncGenerator<Block> {
    let frame = startFrame
    const range = { startRow: startRow + startFrame, endRow: startRow + endFrame, signal }
    for await (const { rowCount, columns } of reader.scan(path, [request], range)) {
      yield { startFrame: frame, frameCount: rowCount, columns: new Map([[feature.name, columns[0] as Values]]) }
      frame += rowCount
    }
  }
  const openCamera = () => Promise.reject(new TypeError('pictures are not read here'))
  const recorded: Episode = { sourceIndex: 0, sourceId: '0', length, tasks: [], splits: [], readBlocks, openCamera }
  const of = { features: [feature], fps: manifest.fps }
  const changed = derivation ? replayEpisode(recorded, derivation, position, of) : recorded
  const width = countValues(feature.shape)
  return async (startFrame, endFrame, signal) => {
    let result: NumericArray | undefined
    for await (const block of changed.readBlocks({ columns: [feature.name], startFrame, endFrame, signal })) {
      const values = block.columns.get(feature.name) as NumericArray
      if (values.length === (endFrame - startFrame) * width) return values
      result ??= new (values.constructor as new (length: number) => NumericArray)((endFrame - startFrame) * width)
      result.set(values as never, (block.startFrame - startFrame) * width)
    }
    if (!result) throw new RangeError(`there are no rows ${startFrame} to ${endFrame}`)
    return result
  }
}
