import type { Dataset } from '@nmp/formats/dataset'
import { isCamera } from '@nmp/formats/feature'
import type { WriteReport } from '@nmp/formats/writers/writer'
import { ServiceError } from '../../errors.ts'
import type { PrepareHooks } from './prepare-hooks.ts'

/** What our own writer must never give; info-level oddities of the source (nested names) may be carried through. */
const fatalRules = /^(episode-|video-|timestamps-|index-|totals-|camera-missing|task-unknown|file-)/

/**
 * Opens what was written as a stranger would: every row counted against its episode, every camera's frames counted on their
 * packets and held against the grid. A difference is a fault of ours, and never published.
 */
export async function verifyDataset(
  dataset: Dataset,
  written: WriteReport,
  { signal, onProgress }: PrepareHooks,
): Promise<void> {
  const expect = (isRight: boolean, sentence: string): void => {
    if (!isRight) throw new ServiceError('internal_error', `The written dataset does not verify: ${sentence}`)
  }
  const { episodeCount, frameCount } = dataset
  expect(
    episodeCount === written.episodeCount && frameCount === written.frameCount,
    `${written.episodeCount} episodes with ${written.frameCount} frames were written, but ${episodeCount} with ${frameCount} can be read.`,
  )
  const cameras = dataset.features.filter(isCamera)
  for (let position = 0; position < episodeCount; position++) {
    signal.throwIfAborted()
    const episode = dataset.getEpisode(position)
    for (const { name } of cameras) {
      const { frameCount: frames } = await episode.openCamera(name)
      expect(
        frames === episode.length,
        `episode ${position} has ${episode.length} rows and ${frames} frames of ${name}.`,
      )
    }
    if (position % 32 === 0) onProgress(position, episodeCount)
  }
  const fault = dataset.findings.find(({ rule }) => fatalRules.test(rule))
  expect(fault === undefined, fault?.sentence ?? '')
}
