import type { Block, Dataset, Episode } from '../dataset.ts'
import { changeEpisode } from '../steps/features.ts'
import { fillColumns } from './fill.ts'
import type { MergePlan, PlannedSource } from './plan-merge.ts'
import { mapTask, type SourceMap } from './source-map.ts'

/** One source with the features of the result and its task texts; its rate is the result's already. */
export function mapDataset(
  dataset: Dataset,
  { features, roles, robotType }: MergePlan,
  source: PlannedSource,
  tasks: SourceMap['tasks'],
): Dataset {
  const { intact: _, roles: _own, ...others } = dataset
  return {
    ...others,
    ...(roles && { roles }),
    robotType,
    features,
    getEpisode: (position) => {
      const planned = changeEpisode(dataset.getEpisode(position), dataset.features, source.planned)
      const mapped = fillColumns(planned, features, source.fills)
      return tasks ? mapTasks(mapped, tasks) : mapped
    },
  }
}

/** Texts that become one are one task. */
function mapTasks(episode: Episode, map: NonNullable<SourceMap['tasks']>): Episode {
  const texts = episode.tasks.map((text) => mapTask(text, map))
  const tasks = [...new Set(texts)]
  if (tasks.length === texts.length) return { ...episode, tasks }
  const places = Uint32Array.from(texts, (text) => tasks.indexOf(text))
  const readBlocks: Episode['readBlocks'] = async function* (request) {
    for await (const { taskIndex, ...block } of episode.readBlocks(request)) yield renumber(block, taskIndex)
  }
  const renumber = (block: Omit<Block, 'taskIndex'>, taskIndex: Uint32Array | undefined): Block =>
    tasks.length === 1 || !taskIndex ? block : { ...block, taskIndex: taskIndex.map((place) => places[place] ?? 0) }
  return { ...episode, tasks, readBlocks }
}
