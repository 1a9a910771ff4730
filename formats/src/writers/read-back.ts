import { FormatError } from '../errors.ts'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import type { WriteReport } from './writer.ts'

/** By our own reader, as if it came from elsewhere: every row counted, every video's frames held against them. */
export async function verifyByReading(
  folder: string,
  expected: Pick<WriteReport, 'episodeCount' | 'frameCount'>,
  signal?: AbortSignal,
): Promise<void> {
  await using dataset = await openDataset(await openFolder(folder), { ...(signal && { signal }) })
  const faults = dataset.findings.filter(({ severity }) => severity === 'error').map(({ sentence }) => sentence)
  const { episodeCount, frameCount } = dataset
  if (episodeCount !== expected.episodeCount || frameCount !== expected.frameCount)
    faults.unshift(`It has ${episodeCount} episodes and ${frameCount} frames.`)
  if (faults.length > 0)
    throw new FormatError('container_invalid', `What was written is not right: ${faults.slice(0, 3).join(' ')}`)
}
