/** RoboHive and RoboSet: `Trial<i>` groups, RoboSet's with `data/{ctrl_arm,qp_arm,rgb_left,…}` in float16. */
import { getName, joinPath } from '../../../containers/hdf5/tree.ts'
import { findRate } from '../clock.ts'
import { planEpisode, type Role } from '../episode.ts'
import { listGroups } from '../groups.ts'
import type { FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const stateNames = ['data/qp_arm', 'data/qp_ee', 'observations']
const actionNames = ['data/ctrl_arm', 'data/ctrl_ee', 'actions']
const trialName = /^Trial\d+$/
const clocks = ['data/time', 'time']
const assumed: StatedRate = { value: 10, from: "RoboSet's trials run at about 10 Hz", isAssumed: true }

export const robohive: Hdf5Family = {
  name: 'robohive',
  recognize: ({ tree }) => listGroups(tree, '/', trialName).some(({ path }) => tree.listDatasets(path).length > 0),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const trials = listGroups(source.tree, '/', trialName)
  const fps = (await findTrialRate(source, trials[0]?.path)) ?? assumed
  const episodes = []
  for (const { path } of trials) {
    const [solved] = (await source.readNumbers(joinPath(path, 'config/solved'))) ?? []
    episodes.push(
      await planEpisode(source, {
        group: path,
        sourceId: getName(path),
        success: solved === undefined ? null : solved > 0,
        role,
        fps: source.options.fps ?? fps.value,
      }),
    )
  }
  return { fps, episodes }
}

async function findTrialRate(source: Hdf5Source, trial: string | undefined): Promise<StatedRate | undefined> {
  if (trial === undefined) return undefined
  for (const clock of clocks) {
    const times = await source.readNumbers(joinPath(trial, clock))
    const rate = times && findRate(times, clock)
    if (rate) return rate
  }
  return undefined
}

function role(relative: string): Role | undefined {
  const state = stateNames.indexOf(relative)
  if (state >= 0) return { as: 'state', order: state }
  const action = actionNames.indexOf(relative)
  if (action >= 0) return { as: 'action', order: action }
  if (clocks.includes(relative)) return { as: 'clock' }
  if (relative.startsWith('config/') || /^data\/d_/.test(relative)) return { as: 'skip' }
  if (relative === 'rewards') return { as: 'column', name: 'next.reward' }
  if (relative === 'done') return { as: 'column', name: 'next.done' }
  const camera = /^data\/rgb_(.+)$/.exec(relative)?.[1]
  if (camera !== undefined) return { as: 'camera', key: camera }
  const column = /^(?:data|derived)\/(.+)$/.exec(relative)?.[1]
  return column === undefined ? undefined : { as: 'column', name: `observation.${column.replaceAll('/', '.')}` }
}
