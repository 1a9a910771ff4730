import { FormatError } from '../errors.ts'
import { listVideos } from './estimate-parts.ts'
import { gr00t } from './gr00t/target.ts'
import { lerobotV2 } from './lerobot-v2/target.ts'
import * as lerobotV3 from './lerobot-v3/writer.ts'
import { mcap } from './mcap/target.ts'
import { openpiNormStats } from './openpi-norm-stats/writer.ts'
import { rlds } from './rlds/target.ts'
import { robomimic } from './robomimic/target.ts'
import { createTimeseriesWriter } from './timeseries.ts'
import type { Writer } from './writer.ts'
import { zarr } from './zarr/target.ts'

const lerobot: Writer = {
  name: 'lerobot-v3',
  artifactKey: 'lerobot',
  title: 'LeRobot v3.0',
  readers: 'lerobot 0.4.0 and later, and whatever reads datasets of the Hub.',
  options: {},
  listLosses: () => [],
  // Rows, what describes them, the card, and a file of every camera: of large sets there are more.
  estimate: (facts) => ({ sizeBytes: facts.storedBytes, fileCount: 7 + listVideos(facts).length }),
  write: lerobotV3.write,
}

/** Every writer, by the name that `--to` takes. */
export const writers: readonly Writer[] = [
  lerobot,
  lerobotV2,
  gr00t,
  openpiNormStats,
  rlds,
  mcap,
  robomimic,
  zarr,
  createTimeseriesWriter('parquet'),
  createTimeseriesWriter('arrow'),
]

/** By its name, or by the artifact of a version that it makes. */
export function getWriter(wanted: string): Writer {
  const writer = writers.find(({ name, artifactKey }) => name === wanted || artifactKey === wanted)
  if (!writer) throw new FormatError('unsupported', `--to is one of ${writers.map(({ name }) => name).join(', ')}.`)
  return writer
}
