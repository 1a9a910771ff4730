import { FormatError } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { isObject, type JsonObject, readJsonLines } from '../../json.ts'
import type { LeRobotInfo } from './info.ts'

/** meta/episodes.jsonl and meta/tasks.jsonl of v2.x; lines come in any order. */

export interface DeclaredEpisode {
  readonly length: number | undefined
  readonly tasks: readonly string[]
}

const maxEpisodes = 5_000_000
const maxTasks = 1_000_000

/** Ascending by episode number. */
export async function readEpisodeLines(
  tree: FileTree,
  info: LeRobotInfo,
  findings: Findings,
): Promise<Map<number, DeclaredEpisode>> {
  const path = 'meta/episodes.jsonl'
  const episodes = new Map<number, DeclaredEpisode>()
  if (!(await tree.find(path))) {
    findings.add(
      'metadata-optional-absent',
      `${path} is missing; looking for the ${info.totalEpisodes} episodes that info.json counts.`,
    )
    if (info.totalEpisodes > maxEpisodes)
      throw new FormatError('limit_exceeded', `info.json counts more than ${maxEpisodes} episodes.`)
    for (let episode = 0; episode < info.totalEpisodes; episode++)
      episodes.set(episode, { length: undefined, tasks: [] })
    return episodes
  }
  for await (const line of readLines(tree, path, findings)) {
    const episode = line.episode_index
    if (typeof episode !== 'number' || !Number.isSafeInteger(episode) || episode < 0) {
      throw new FormatError('metadata_invalid', `${path} has a line without an episode_index.`)
    }
    if (episodes.has(episode)) {
      findings.add('episode-repeated', `Episode ${episode} appears twice in ${path}; the first is used.`, episode)
      continue
    }
    const tasks = Array.isArray(line.tasks) ? line.tasks.filter((task) => typeof task === 'string') : []
    episodes.set(episode, { length: typeof line.length === 'number' ? line.length : undefined, tasks })
    if (episodes.size > maxEpisodes)
      throw new FormatError('limit_exceeded', `${path} names more than ${maxEpisodes} episodes.`)
  }
  return new Map([...episodes].sort(([a], [b]) => a - b))
}

export async function readTaskLines(tree: FileTree, findings: Findings): Promise<Map<number, string>> {
  const path = 'meta/tasks.jsonl'
  const tasks = new Map<number, string>()
  if (!(await tree.find(path))) {
    findings.add('tasks-missing', `${path} is missing; tasks are taken from episodes.jsonl where an episode has one.`)
    return tasks
  }
  let isOrdered = true
  for await (const { task_index: number, task } of readLines(tree, path, findings)) {
    if (typeof number !== 'number' || tasks.has(number)) continue
    if (number !== tasks.size) isOrdered = false
    tasks.set(number, typeof task === 'string' ? task : '')
    if (tasks.size > maxTasks) throw new FormatError('limit_exceeded', `${path} has more than ${maxTasks} tasks.`)
  }
  if (!isOrdered)
    findings.add('tasks-disordered', `${path} is not sorted 0, 1, 2, …; texts are taken by their task_index.`)
  return tasks
}

async function* readLines(tree: FileTree, path: string, findings: Findings): AsyncGenerator<JsonObject> {
  for await (const { value, nonFiniteCount } of readJsonLines(tree, path)) {
    if (nonFiniteCount > 0) findings.addOnce('json-not-finite', `${path} contains NaN or Infinity; read as null.`)
    if (isObject(value)) yield value
  }
}
