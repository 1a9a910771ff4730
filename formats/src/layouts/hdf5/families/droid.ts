/** DROID raw: `trajectory.h5` without pictures; the cameras lie beside it as `recordings/MP4/<serial>.mp4`. */
import { type ByteSource, openFile } from '../../../bytes.ts'
import { openVideo } from '../../../containers/video/video.ts'
import { findRate } from '../clock.ts'
import { type EpisodeRules, planEpisode, type Role } from '../episode.ts'
import { nameFile } from '../groups.ts'
import type { FilePlan, Hdf5Family, PlanNote, StatedRate } from '../plan.ts'
import { type Hdf5Source, resolveRelative } from '../source.ts'

const clock = 'observation/timestamp/control/step_start'
const stateNames = ['observation/robot_state/joint_positions', 'observation/robot_state/gripper_position']
const actionNames = ['action/joint_position', 'action/gripper_position']
const assumed: StatedRate = { value: 15, from: "DROID's control loop runs at 15 Hz", isAssumed: true }

export const droid: Hdf5Family = {
  name: 'droid',
  recognize: ({ tree }) =>
    tree.findGroup('/action') !== undefined && tree.findGroup('/observation/robot_state') !== undefined,
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const { tree, options } = source
  const times = await source.readNumbers(`/${clock}`)
  const fps = (times && findRate(times, clock)) ?? assumed
  const startRow = await countSkipped(source)
  const task = tree.findAttribute('/', 'current_task')
  const success = tree.findAttribute('/', 'success')
  const notes: PlanNote[] = []
  if (startRow > 0) {
    const sentence = `${nameFile(source.file)}: the first ${startRow} steps are marked skip_action (the robot was not yet driven) and are not used.`
    notes.push({ rule: 'stated', sentence, isOfEpisode: true })
  }
  const robot = tree.findAttribute('/', 'robot_serial_number')
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: nameFile(source.file),
    task: typeof task === 'string' ? task : undefined,
    success: typeof success === 'boolean' ? success : null,
    startRow,
    role,
    fps: options.fps ?? fps.value,
    extraCameras: await findVideos(source, startRow),
    notes,
  })
  return { fps, episodes: [episode], robotType: typeof robot === 'string' ? robot : null }
}

function role(relative: string): Role | undefined {
  const state = stateNames.indexOf(relative)
  if (state >= 0) return { as: 'state', order: state }
  const action = actionNames.indexOf(relative)
  if (action >= 0) return { as: 'action', order: action }
  if (relative === clock) return { as: 'clock' }
  const isBookkeeping = /^observation\/(timestamp|camera_type|controller_info)\/|^action\/robot_state\//.test(relative)
  return isBookkeeping ? { as: 'skip' } : undefined
}

/** Steps before the operator took over. */
async function countSkipped(source: Hdf5Source): Promise<number> {
  const marks = await source.readNumbers('/observation/timestamp/skip_action')
  if (!marks) return 0
  const first = marks.indexOf(0)
  return first < 0 ? 0 : first
}

async function findVideos(source: Hdf5Source, startRow: number): Promise<NonNullable<EpisodeRules['extraCameras']>> {
  const folder = source.file.includes('/') ? source.file.slice(0, source.file.lastIndexOf('/') + 1) : ''
  const found = []
  for (const { path } of source.tree.list('/observation/camera_type')) {
    const serial = path.slice(path.lastIndexOf('/') + 1)
    const video = resolveRelative(folder, `recordings/MP4/${serial}.mp4`)
    if (video === undefined || !(await source.files.find(video).catch(() => undefined))) continue
    await using bytes = await openFile(await source.files.locate(video))
    const facts = await readFacts(bytes)
    if (!facts) continue
    const [kind] = (await source.readNumbers(path)) ?? []
    const plan = {
      name: `observation.images.${kind === 0 ? 'wrist' : 'exterior'}_${serial}`,
      path: video,
      form: 'video-file',
      axes: 'HWC',
      width: facts.width,
      height: facts.height,
      channels: 3,
      colorOrder: 'rgb',
      isFlipped: false,
      rowOffset: 0,
    } as const
    found.push({ plan, rowCount: facts.frameCount - startRow })
  }
  return found
}

async function readFacts(source: ByteSource) {
  try {
    await using video = await openVideo(source)
    return video.facts
  } catch {
    return undefined
  }
}
