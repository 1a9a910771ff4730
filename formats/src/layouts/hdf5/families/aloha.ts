/**
 * ALOHA, ACT, Mobile ALOHA, ACT++, HumanPlus, RDT, Unitree's export: one file per episode, `observations/qpos`,
 * `observations/images/<camera>` as pixels or padded JPEG, `action`.
 */
import type { Hdf5Dataset } from '../../../containers/hdf5/hdf5.ts'
import { getName } from '../../../containers/hdf5/tree.ts'
import { planEpisode, type Role } from '../episode.ts'
import { findText, nameFile } from '../groups.ts'
import { trimPicture } from '../pictures.ts'
import type { FilePlan, Hdf5Family, PlanNote, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const columns: Readonly<Record<string, string>> = {
  'observations/qvel': 'observation.velocity',
  'observations/effort': 'observation.effort',
}
const languagePaths = ['/instruction', '/instructions', '/language_raw', '/language_instruction', '/task']
const rate: StatedRate = { value: 50, from: "ALOHA's recorders run at 50 Hz", isAssumed: true }

export const aloha: Hdf5Family = {
  name: 'aloha',
  recognize: ({ tree }) =>
    tree.findDataset('/action') !== undefined &&
    (tree.findDataset('/observations/qpos') !== undefined || tree.findGroup('/observations/images') !== undefined),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const rows = await matchLengths(source)
  const isEncoded = listCameras(source).some(({ shape }) => shape.length < 4)
  const notes: PlanNote[] = []
  if (isEncoded && source.options.colorOrder === undefined) {
    const sentence =
      "Encoded pictures are assumed to have red and blue swapped, as this family's recorders write them. Set the option color_order to rgb if they look wrong."
    notes.push({ rule: 'assumed', sentence })
  }
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: nameFile(source.file),
    task: await findText(source, languagePaths),
    role: (relative) => role(relative, rows),
    encodedColorOrder: 'bgr',
    fps: source.options.fps ?? rate.value,
    notes,
  })
  const simulated = source.tree.findAttribute('/', 'sim')
  return { fps: rate, episodes: [episode], details: typeof simulated === 'boolean' ? { simulated } : {} }
}

function role(relative: string, rows: ReadonlyMap<string, number>): Role | undefined {
  if (relative === 'action') return { as: 'action', order: 0 }
  if (relative === 'observations/qpos') return { as: 'state', order: 0 }
  if (relative === 'compress_len') return { as: 'skip' }
  const name = Object.hasOwn(columns, relative) ? columns[relative] : undefined
  if (name !== undefined) return { as: 'column', name }
  const camera = /^observations\/images\/(.+)$/.exec(relative)?.[1]
  if (camera === undefined || /_depth$/.test(camera)) return undefined
  const row = rows.get(camera)
  return { as: 'camera', key: camera, ...(row !== undefined && { lengths: { path: 'compress_len', row } }) }
}

function listCameras({ tree }: Hdf5Source): Hdf5Dataset[] {
  return tree.listDatasets('/observations/images').filter(({ path }) => !path.endsWith('_depth'))
}

/**
 * Which row of `compress_len` belongs to which camera: recorders use their own order, the compressor the alphabet. The
 * row whose lengths end on the JPEG's end mark is it; a camera without one is read up to its last end mark.
 */
async function matchLengths(source: Hdf5Source): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  const table = source.tree.findDataset('/compress_len')
  const lengths = await source.readNumbers('/compress_len')
  if (!table || !lengths || table.shape.length !== 2) return rows
  const [rowCount = 0, width = 0] = table.shape
  for (const camera of listCameras(source)) {
    const frames = camera.shape.length === 2 ? Math.min(8, camera.shape[0] ?? 0, width) : 0
    const pictures = new Map<number, Uint8Array>()
    for (let frame = 0; frame < frames; frame++) {
      const bytes = await source.readElement(camera, frame)
      if (trimPicture(bytes)) pictures.set(frame, bytes)
    }
    const fits = (row: number) =>
      pictures.size > 0 && [...pictures].every(([frame, bytes]) => isEnd(bytes, lengths[row * width + frame] ?? 0))
    const row = Array.from({ length: rowCount }, (_, index) => index).find(fits)
    if (row !== undefined) rows.set(getName(camera.path), row)
  }
  return rows
}

function isEnd(bytes: Uint8Array, length: number): boolean {
  return length > 4 && length <= bytes.length && trimPicture(bytes.subarray(0, length), length)?.length === length
}
