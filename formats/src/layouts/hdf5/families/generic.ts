/** Any file with arrays that have a row per frame: groups that look alike are episodes, else the file is one. */
import type { Hdf5Dataset, Hdf5Tree } from '../../../containers/hdf5/hdf5.ts'
import { getName, joinPath } from '../../../containers/hdf5/tree.ts'
import { findRate } from '../clock.ts'
import { nameColumn, planEpisode, type Role } from '../episode.ts'
import { findText, listGroups, nameFile } from '../groups.ts'
import type { FilePlan, Hdf5Family } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const clockName = /(^|\/)(time|times|timestamps?|time_?stamps?|t|sim_time_seq)$/i
const actionName = /(^|\/)(actions?|cmd(_\w+)?|commands?|controls?|ctrl|target_(q|qpos|joints?)|joint_actions?)$/i
const stateName =
  /(^|\/)(states?|qpos|q|\w+_q|joint_?(pos|positions?|states?|angles?)|joints?|proprio|robot_state|arm_(q|qpos|joints?))$/i
const groupName = /^(demo|ep|episode|traj|trajectory|trial|run|rollout|sequence|seq)[_-]?\d+$/i
const textNames = ['instruction', 'instructions', 'language_raw', 'language_instruction', 'task', 'prompt', 'notes']

export const generic: Hdf5Family = {
  name: 'generic-hdf5',
  recognize: () => true,
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const groups = findEpisodeGroups(source.tree)
  const clock = findClock(source.tree, groups[0] ?? '/')
  const times = clock === undefined ? undefined : await source.readNumbers(clock)
  const fps = times && clock !== undefined ? findRate(times, clock) : undefined
  const episodes = []
  for (const group of groups) {
    const paths = source.tree.listDatasets(group).map(({ path }) => path.slice(group === '/' ? 1 : group.length + 1))
    const action = choose(source.tree, group, paths, actionName)
    const state = choose(source.tree, group, paths, stateName)
    const task = await findText(
      source,
      textNames.flatMap((name) => [joinPath(group, name), `/${name}`]),
    )
    const episode = await planEpisode(source, {
      group,
      sourceId: group === '/' ? nameFile(source.file) : getName(group),
      task,
      role: (relative) => role(relative, action, state),
      fps: source.options.fps ?? fps?.value ?? 30,
      notes: [
        {
          rule: 'assumed',
          sentence: `Not a known family; ${state ?? 'no array'} is used as the state, ${action ?? 'none'} as the action.`,
        },
      ],
    })
    episodes.push(episode)
  }
  return { fps, episodes }
}

function role(relative: string, action: string | undefined, state: string | undefined): Role | undefined {
  if (relative === action) return { as: 'action', order: 0 }
  if (relative === state) return { as: 'state', order: 0 }
  if (clockName.test(relative)) return { as: 'clock' }
  return undefined
}

/** Groups named like episodes, directly below the root or below one group, that hold arrays. */
function findEpisodeGroups(tree: Hdf5Tree): string[] {
  for (const parent of ['/', ...listGroups(tree, '/').map(({ path }) => path)]) {
    const groups = listGroups(tree, parent, groupName).filter(({ path }) => tree.listDatasets(path).length > 0)
    if (groups.length > 0) return groups.map(({ path }) => path)
  }
  return ['/']
}

function findClock(tree: Hdf5Tree, group: string): string | undefined {
  return tree.listDatasets(group).find(({ path, shape }) => clockName.test(path) && shape.length === 1)?.path
}

/** The widest vector with such a name; the shortest path of equals. */
function choose(tree: Hdf5Tree, group: string, paths: readonly string[], pattern: RegExp): string | undefined {
  const width = (path: string) => getWidth(tree.findDataset(joinPath(group, path)))
  const candidates = paths.filter((path) => pattern.test(path) && !/^next_|\/next_/.test(path) && width(path) > 0)
  return candidates.sort(
    (a, b) => width(b) - width(a) || a.length - b.length || (nameColumn(a) < nameColumn(b) ? -1 : 1),
  )[0]
}

function getWidth(dataset: Hdf5Dataset | undefined): number {
  if (!dataset || !/^(float|int)/.test(dataset.dtype)) return 0
  return dataset.shape.length === 1 ? 1 : dataset.shape.length === 2 ? (dataset.shape[1] ?? 0) : 0
}
