import type { Dataset } from '@nmp/formats/dataset'
import type { Context } from '../../context.ts'
import type { ModelPart } from '../../datasets/read-model/model.ts'
import { findPart } from '../../datasets/read-model/parts.ts'
import { openDerivedDataset } from '../derive/derived-dataset.ts'

/** The numbers of all parts as one dataset, in order. Pictures are not in it, and tasks are those of the parts. */
export async function openMergedDataset(context: Context, parts: readonly ModelPart[]): Promise<Dataset> {
  await using opened = new AsyncDisposableStack()
  const datasets = new Map<ModelPart, Dataset>()
  for (const part of parts) datasets.set(part, opened.use(await openDerivedDataset(context, part.place, part.model)))
  const [first] = datasets.values() as Iterable<Dataset>
  const held = opened.move()
  const close = () => held.disposeAsync()
  return {
    ...(first as Dataset),
    episodeCount: parts.reduce((sum, { model }) => sum + model.episodeCount, 0),
    frameCount: parts.reduce((sum, { model }) => sum + model.manifest.total_frames, 0),
    getEpisode: (position) => {
      const part = findPart(parts, position)
      const episode = (datasets.get(part) as Dataset).getEpisode(position - part.start)
      return { ...episode, sourceIndex: position, sourceId: String(position) }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
