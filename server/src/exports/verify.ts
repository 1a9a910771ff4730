import { FormatError } from '@nmp/formats/errors'
import { isCamera } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import type { ResultFacts } from './version-source.ts'

/**
 * Reads the written dataset back as a loader would: every row counted and in order, every video's frames, keyframes and times held
 * against the table. Anything a reader would have to say about it, beyond what LeRobot itself takes as normal, refuses the export.
 */
export async function verifyExport(folder: string, result: ResultFacts, signal: AbortSignal): Promise<void> {
  await using dataset = await openDataset(await openFolder(folder), { signal })
  const faults = dataset.findings.filter(({ severity }) => severity !== 'info').map(({ sentence }) => sentence)
  const expect = (isRight: boolean, sentence: string) => {
    if (!isRight) faults.push(sentence)
  }
  expect(dataset.episodeCount === result.episodeCount, `It has ${dataset.episodeCount} episodes.`)
  expect(dataset.frameCount === result.frameCount, `It has ${dataset.frameCount} frames.`)
  const cameras = dataset.features.filter(isCamera)
  for (const { name: key, width, height } of result.cameras) {
    const written = cameras.find(({ name }) => name === key)
    expect(written?.width === width && written.height === height, `${key} is not ${width}x${height}.`)
    if (written?.storage === 'video') expect(dataset.intact?.videos.has(key) ?? false, `${key} is off the grid.`)
  }
  expect(cameras.length === result.cameras.length, `It has ${cameras.length} cameras.`)
  expect(dataset.intact?.data !== undefined, 'Its rows are not laid out as loaders expect.')
  if (faults.length > 0)
    throw new FormatError('container_invalid', `The written dataset is not right: ${faults.slice(0, 3).join(' ')}`)
}
