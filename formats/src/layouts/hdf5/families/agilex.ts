/** AgileX data_tools and PIKA: `camera/color/<camera>` as paths of pictures beside the file, or as BGR pixels. */
import { findRate } from '../clock.ts'
import { planEpisode, type Role } from '../episode.ts'
import { findText } from '../groups.ts'
import type { FilePlan, Hdf5Family, PlanNote, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const sides = ['Left', 'Right', '']
const assumed: StatedRate = { value: 30, from: "AgileX's recorder runs at 30 Hz", isAssumed: true }

export const agilex: Hdf5Family = {
  name: 'agilex',
  recognize: ({ tree }) =>
    tree.findGroup('/camera/color') !== undefined &&
    ['/arm', '/gripper', '/localization', '/timestamp'].some((path) => tree.find(path) !== undefined),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const times = await source.readNumbers('/timestamp')
  const fps = (times && findRate(times, 'timestamp')) ?? assumed
  const isRaw = source.tree.listDatasets('/camera/color').some(({ shape }) => shape.length === 4)
  const notes: PlanNote[] = []
  if (isRaw && source.options.colorOrder === undefined) {
    const sentence =
      'Pixels are assumed to be BGR, as data_tools stores them. Set the option color_order to rgb if they look wrong.'
    notes.push({ rule: 'assumed', sentence })
  }
  const hasMaster = source.tree.list('/arm/jointStatePosition').some(({ path }) => /\/master/.test(path))
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: nameEpisode(source.file),
    task: await findText(source, ['/instruction']),
    role: (relative) => role(relative, hasMaster),
    colorOrder: 'bgr',
    encodedColorOrder: 'rgb',
    fps: source.options.fps ?? fps.value,
    notes,
  })
  return { fps, episodes: [episode] }
}

function role(relative: string, hasMaster: boolean): Role | undefined {
  const arm = /^arm\/jointStatePosition\/(puppet|master)(.*)$/.exec(relative)
  if (arm) {
    const order = Math.max(0, sides.indexOf(arm[2] ?? ''))
    return { as: arm[1] === 'master' ? 'action' : 'state', order }
  }
  // PIKA hands have no arms: where the hand was is both what is seen and what is learnt.
  const hand = /^localization\/pose\/pika(.*)$/.exec(relative)
  if (hand && !hasMaster) return { as: 'state', order: Math.max(0, sides.indexOf(hand[1] ?? '')) }
  if (relative === 'timestamp') return { as: 'clock' }
  if (relative === 'size' || relative === 'instruction') return { as: 'skip' }
  if (/^camera\/(depth|pointCloud)/.test(relative) || /Intrinsic|Extrinsic/.test(relative)) return { as: 'skip' }
  const camera = /^camera\/color\/(.+)$/.exec(relative)?.[1]
  if (camera !== undefined) return { as: 'camera', key: camera }
  return { as: 'column', name: `observation.${relative.replaceAll('/', '.')}` }
}

/** Every file is called data.hdf5 or aligned.hdf5; the folder names the episode. */
function nameEpisode(file: string): string {
  const parts = file.split('/')
  const name = (parts.at(-1) ?? file).replace(/\.(h5|hdf5|hdf)$/i, '')
  return parts.length > 1 && !/\d/.test(name) ? (parts.at(-2) ?? name) : name
}
