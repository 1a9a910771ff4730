import { encodeTexts } from '../../datasets/read-model/canonical.ts'
import type { EpisodeColumns } from '../../datasets/read-model/format.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { RecipePlan } from '../plan/plan.ts'
import type { StoredAnnotations } from '../recipe/annotations.ts'

interface DerivedTasks {
  texts: string[]
  columns: Pick<EpisodeColumns, 'taskStarts' | 'taskIds' | 'taskText' | 'taskTextStarts'>
}

/** Tasks of the result, numbered as the writer will: in the order of first use, or as they are where the rows are kept as they are. */
export function deriveTasks(source: ReadModel, plan: RecipePlan, annotations: StoredAnnotations | null): DerivedTasks {
  const replaced = listReplaced(source, plan, annotations)
  return keepsRows(source, plan) && replaced.size === 0 ? keepTasks(source) : numberTasks(source, plan, replaced)
}

/** The task that each annotated episode gets instead of its own, by its number in the source. */
function listReplaced(
  source: ReadModel,
  { episodes }: Pick<RecipePlan, 'episodes'>,
  annotations: StoredAnnotations | null,
): Map<number, string> {
  const replaced = new Map<number, string>()
  if (!annotations) return replaced
  const isKept = new Set(episodes)
  for (const { episode_index: episode, task } of annotations.episodes) {
    if (task === null || !isKept.has(episode)) continue
    const own = source.listTasksOf(episode)
    if (own.length !== 1 || own[0] !== task) replaced.set(episode, task)
  }
  return replaced
}

/** Whether the data files are taken over: no row changes, so `task_index` counts what it counted. */
function keepsRows(source: ReadModel, { episodes, cameras, changesAction, isCut, features }: RecipePlan): boolean {
  const isPictureChanged = source.manifest.cameras.some(({ key, storage }) => {
    const planned = cameras.find(({ camera }) => camera.key === key)
    return storage === 'image' && (!planned || planned.transform !== undefined)
  })
  const isInRows = (name: string): boolean => !source.manifest.video_files.some(({ key }) => key === name)
  const isSame = (column: string): boolean =>
    features?.some(({ source: before, name, dimensions }) => before === column && name === column && !dimensions) ??
    true
  const isColumnChanged = source.manifest.features.some(({ name }) => isInRows(name) && !isSame(name))
  return !isColumnChanged && !isCut && episodes.length === source.episodeCount && !changesAction && !isPictureChanged
}

function keepTasks(source: ReadModel): DerivedTasks {
  const { taskStarts, taskIds, taskText, taskTextStarts } = source.columns
  const texts = Array.from({ length: source.taskCount }, (_, task) => source.getTask(task))
  return { texts, columns: { taskStarts, taskIds, taskText, taskTextStarts } }
}

function numberTasks(
  source: ReadModel,
  { episodes, parts }: RecipePlan,
  replaced: ReadonlyMap<number, string>,
): DerivedTasks {
  const numbers = new Map<string, number>()
  const numberOf = (text: string): number => {
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, numbers.size)
    return numbers.size - 1
  }
  // By the number in the source, so that a text is looked at once and not once an episode.
  const renumbered = new Int32Array(source.taskCount).fill(-1)
  const { taskStarts: starts, taskIds: ids } = source.columns
  const taskStarts = new Uint32Array(episodes.length + 1)
  const taskIds: number[] = []
  for (let index = 0; index < episodes.length; index++) {
    const episode = episodes[index] as number
    const part = parts.get(index)
    const text = part?.task ?? replaced.get(episode)
    if (text !== undefined && text !== null) taskIds.push(numberOf(text))
    else if (part?.tasks) taskIds.push(...part.tasks.map(numberOf))
    else
      for (let at = starts[episode] as number; at < (starts[episode + 1] as number); at++) {
        const task = ids[at] as number
        if (renumbered[task] === -1) renumbered[task] = numberOf(source.getTask(task))
        taskIds.push(renumbered[task] as number)
      }
    taskStarts[index + 1] = taskIds.length
  }
  const texts = [...numbers.keys()]
  return { texts, columns: { taskStarts, taskIds: Uint32Array.from(taskIds), ...encodeTexts(texts) } }
}
