import * as lerobotV3 from './lerobot-v3/writer.ts'
import { createTimeseriesWriter } from './timeseries.ts'
import type { Writer } from './writer.ts'

/** Every writer, by the name that `--to` takes. */
export const writers: readonly Writer[] = [
  { name: 'lerobot-v3', write: lerobotV3.write },
  { name: 'timeseries-parquet', write: createTimeseriesWriter('parquet') },
  { name: 'timeseries-arrow', write: createTimeseriesWriter('arrow') },
]
