import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getFixture } from '../../../fixtures/fixture.ts'
import { offlineEnv, python } from '../lerobot.ts'
import type { ExportSetup } from './export-setup.ts'

/** Every kind of source, every thing a recipe can do: what exports are held against. */
export interface MatrixSource {
  name: string
  folder: string
  /** A LeRobot dataset, whose packets must be found again in the export. */
  isLeRobot: boolean
  /** Pictures carry the number of their frame. */
  barCodes: boolean
}

export interface MatrixCase {
  /** `source/recipe` */
  name: string
  source: MatrixSource
  recipe: Record<string, unknown>
  annotations: Annotations
  datasetId: string
}

type Annotations = Record<string, { task?: string } & Record<string, unknown>>

const listSources = (): MatrixSource[] =>
  [
    { name: 'v2.1', path: 'lerobot/recorded-v2.1', barCodes: true },
    { name: 'v3.0', path: 'lerobot/recorded-v3.0-two-cameras', barCodes: true },
    { name: 'v3.0-many-files', path: 'lerobot/recorded-v3.0-many-files', barCodes: true },
    { name: 'v3.0-images', path: 'lerobot/recorded-v3.0-images', barCodes: true },
    { name: 'aloha', path: 'hdf5/actpp_sim_insertion_compressed', barCodes: false },
    { name: 'robomimic', path: 'hdf5/robomimic_0.5_lift_image.hdf5', barCodes: false },
    { name: 'maniskill', path: 'hdf5/maniskill_pickcube_rgb', barCodes: false },
  ].map(({ name, path, barCodes }) => ({
    ...{ name, folder: getFixture(path), barCodes },
    isLeRobot: path.startsWith('lerobot/'),
  }))

/** Keeps the rows and the lower bits of a bar code. */
const crop = { left_pct: 25, top_pct: 0, width_pct: 75, height_pct: 80 }
const middle = { left_pct: 12.5, top_pct: 10, width_pct: 75, height_pct: 80 }
const size = { width: 96, height: 64 }

/** One after another each thing a recipe can do. Episode numbers fit every source. */
const recipes: Readonly<Record<string, Record<string, unknown>>> = {
  whole: {},
  subset: { selected_episode_indices: [0] },
  'first-n': { first_n_episodes: 2 },
  crop: { crop },
  fit: { resize: { ...size, mode: 'fit' } },
  fill: { resize: { ...size, mode: 'fill' } },
  stretch: { resize: { ...size, mode: 'stretch' } },
  mean: { action: { smoothing_window: 7, smoothing_mode: 'mean' } },
  median: { action: { smoothing_window: 5, smoothing_mode: 'median' } },
  gaussian: { action: { smoothing_window: 9, smoothing_mode: 'gaussian' } },
  clip: { action: { clip_min: -0.1, clip_max: 0.2 } },
  scale: { action: { scale: -2.5 } },
  trim: { trim: { ranges: { '0': [[4, 12]], '1': [[3, 9]] } } },
  pieces: {
    trim: {
      ranges: {
        '0': [
          [1, 4],
          [6, 12],
        ],
        '1': [
          [0, 6],
          [8, 9],
        ],
      },
      inside: 'drop',
    },
  },
  split: {
    split: { '1': { at: [5, 8], tasks: ['reach', 'grasp', 'place'] } },
    trim: {
      ranges: {
        '0': [
          [0, 2],
          [6, 11],
        ],
      },
      inside: 'split',
    },
  },
}

const everything = {
  crop: middle,
  resize: { ...size, mode: 'fit' },
  action: { smoothing_window: 5, smoothing_mode: 'gaussian', scale: 0.5, clip_min: -1, clip_max: 1 },
}

/** Every second frame, and rates between: shifted, with a camera of another name and the action's dimensions turned around. */
function reshape({ fps, names }: { fps: number; names: string[] }, [camera = '']: string[]) {
  const features = { rename: { [camera]: `${camera}_seen` }, dimensions: { action: names.toReversed() } }
  return {
    slower: { fps: Math.floor(fps / 2), action: { shift_frames: 1 }, features },
    nearest: { fps: Math.floor((2 * fps) / 5), action: { shift_frames: -2, scale: 2 }, features },
  }
}

/** Episode 0 gets another task and all the rest; the last one says that it failed and keeps its task. */
const annotate = (episodeCount: number): Annotations => ({
  '0': {
    task: 'put the red block in the bowl',
    success: true,
    tags: ['clean', 'two hands'],
    note: 'slow at first',
    segments: [
      { label: 'reach', start_frame: 0, end_frame: 3 },
      { label: 'grasp', start_frame: 3, end_frame: 6 },
    ],
  },
  ...(episodeCount > 1 && {
    [String(episodeCount - 1)]: { success: false, tags: [], note: null, segments: [] },
  }),
})

/** No published fixture has depth, so that lerobot records a set; none where lerobot is not installed. */
async function recordDepth(folder: string): Promise<MatrixSource[]> {
  if (!existsSync(python)) return []
  const script = join(import.meta.dirname, '../../../formats/test/python/record.py')
  await promisify(execFile)(python, [script, folder, '0.6.1', 'depth'], { env: offlineEnv(folder), maxBuffer: 1 << 26 })
  return [{ name: 'depth', folder: join(folder, 'depth'), isLeRobot: true, barCodes: false }]
}

/** Publishes the sources and their annotations; the cases in an order in which a source's come together, `whole` first. */
export async function planMatrix(setup: ExportSetup, names?: readonly string[]): Promise<MatrixCase[]> {
  const cases: MatrixCase[] = []
  const recorded = await recordDepth(join(setup.folder, 'recorded'))
  for (const source of [...listSources(), ...recorded].filter(({ name }) => names?.includes(name) ?? true)) {
    const slug = source.name.replaceAll('.', '-')
    const datasetId = await setup.publish(source.folder, slug)
    const { item } = await setup.call('GET', `/api/v1/catalog/datasets/${datasetId}`)
    const cameras = item.observation.cameras.map(({ key }: { key: string }) => key)
    const count: number = item.metrics.total_episodes
    const annotations = annotate(count)
    const episodes = Object.entries(annotations).map(([index, said]) => ({ episode_index: Number(index), ...said }))
    const sets = `/api/v1/orgs/setup/projects/lab/datasets/${slug}/annotation-sets`
    const { item: set } = await setup.call('POST', sets, { name: 'Reviewed', episodes })
    const annotated = { annotation_set_id: set.id }
    const camera_keys = cameras.slice(cameras.length > 1 ? 1 : 0)
    const own = {
      ...recipes,
      ...(item.action && cameras.length > 0 && reshape(item.action, cameras)),
      ...(cameras.length > 1 && { cameras: { camera_keys } }),
      ...(count > 2 && { excluded: { excluded_episode_indices: [1], selected_episode_indices: [2, 1, 0] } }),
      annotations: annotated,
      everything: {
        ...everything,
        ...annotated,
        camera_keys,
        trim: {
          ranges: {
            '0': [
              [1, 5],
              [7, 12],
            ],
          },
        },
        ...(count > 2 ? { excluded_episode_indices: [1], first_n_episodes: 2 } : { first_n_episodes: 2 }),
      },
    }
    for (const [name, recipe] of Object.entries<Record<string, unknown>>(own)) {
      if ('action' in recipe && !item.action) continue
      const isAnnotated = 'annotation_set_id' in recipe
      const place = { name: `${source.name}/${name}`, source, datasetId }
      cases.push({ ...place, recipe, annotations: isAnnotated ? annotations : {} })
    }
  }
  return cases
}
