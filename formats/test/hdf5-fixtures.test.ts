import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { findCampaignSet, getFixture } from '../../fixtures/fixture.ts'
import { openFile } from '../src/bytes.ts'
import { openCodec } from '../src/containers/codec/codec.ts'
import { openVideo } from '../src/containers/video/video.ts'
import type { CameraFrames, Episode, Picture } from '../src/dataset.ts'
import { isCamera } from '../src/feature.ts'
import { openFolder } from '../src/file-tree.ts'
import { inspectHdf5 } from '../src/inspect/hdf5-summary.ts'
import { openDataset } from '../src/layouts/index.ts'
import { write } from '../src/writers/lerobot-v3/writer.ts'
import { readBands } from './hdf5-picture.ts'

const fixtures = getFixture('hdf5')

interface Expected {
  readonly layout: string
  readonly fps: number
  readonly lengths: readonly number[]
  readonly cameras?: readonly string[]
  /** Pictures carry their numbers. */
  readonly hasBars?: boolean
  readonly task?: string
}

const three = [39, 42, 43]
const robotwinCameras = ['front_camera', 'head_camera', 'left_camera', 'right_camera']
const alohaCameras = ['cam_high', 'cam_left_wrist', 'cam_low', 'cam_right_wrist']
const fortyDemos = Array.from({ length: 40 }, (_, demo) => 3 + ((7 * demo) % 5))

const expectations: Record<string, Expected> = {
  'robomimic_lift_low_dim.hdf5': { layout: 'robomimic', fps: 20, lengths: [59, 58] },
  'robomimic_0.5_lift_image.hdf5': {
    layout: 'robomimic',
    fps: 20,
    lengths: three,
    cameras: ['agentview', 'robot0_eye_in_hand'],
  },
  'robomimic_lzf.hdf5': {
    layout: 'robomimic',
    fps: 20,
    lengths: [20, 14],
    cameras: ['agentview', 'robot0_eye_in_hand'],
    hasBars: true,
  },
  'robomimic_blosc_lz4.hdf5': {
    layout: 'robomimic',
    fps: 20,
    lengths: [20, 14],
    cameras: ['agentview', 'robot0_eye_in_hand'],
    hasBars: true,
  },
  'robomimic_40demos.hdf5': {
    layout: 'robomimic',
    fps: 20,
    lengths: fortyDemos,
    cameras: ['agentview'],
    hasBars: true,
  },
  'robosuite_1.5.2_lift_demo.hdf5': { layout: 'robomimic', fps: 20, lengths: three },
  'robosuite_v1_panda.hdf5': { layout: 'robomimic', fps: 20, lengths: [412] },
  'libero_pick_up_the_milk_demo.hdf5': {
    layout: 'robomimic',
    fps: 20,
    lengths: [13, 9],
    cameras: ['agentview', 'eye_in_hand'],
    hasBars: true,
    task: 'pick up the milk and place it in the basket',
  },
  'isaaclab_success_flags.hdf5': {
    layout: 'isaac-lab',
    fps: 20,
    lengths: [12, 8, 10, 9],
    cameras: ['table_cam'],
    hasBars: true,
  },
  act_sim_transfer_cube: { layout: 'aloha', fps: 50, lengths: [50, 50], cameras: ['top'] },
  act_sim_transfer_cube_gzip: { layout: 'aloha', fps: 50, lengths: [400], cameras: ['top'] },
  actpp_sim_insertion_compressed: {
    layout: 'aloha',
    fps: 50,
    lengths: [45, 45],
    cameras: ['left_wrist', 'right_wrist', 'top'],
  },
  'mobile_aloha_episode_0.hdf5': { layout: 'aloha', fps: 50, lengths: [40], cameras: alohaCameras, hasBars: true },
  'aloha_misaligned_episode_7.hdf5': {
    layout: 'aloha',
    fps: 50,
    lengths: [19],
    cameras: ['cam_high', 'cam_low'],
    hasBars: true,
  },
  'ph2d_episode_0.hdf5': {
    layout: 'ph2d',
    fps: 30,
    lengths: [21],
    cameras: ['left', 'right'],
    hasBars: true,
    task: 'Grasp the coke bottle and put it in the tray',
  },
  robotwin: {
    layout: 'robotwin',
    fps: 15,
    lengths: [29],
    cameras: robotwinCameras,
    hasBars: true,
    task: 'Pick up the red hammer and hit the block.',
  },
  'robotwin_xpolicylab_episode_0000000.hdf5': {
    layout: 'robotwin',
    fps: 15,
    lengths: [29],
    cameras: ['cam_head', 'cam_left_wrist', 'cam_right_wrist', 'cam_third_view'],
    hasBars: true,
    task: 'Hit the block with the hammer.',
  },
  robomind: {
    layout: 'robomind',
    fps: 30,
    lengths: [24],
    cameras: ['camera_left', 'camera_right', 'camera_top'],
    hasBars: true,
    task: 'bread in basket',
  },
  'droid_raw_trajectory.h5': { layout: 'droid', fps: 15, lengths: [43], task: 'Put the marker in the mug' },
  agilex_paths: { layout: 'agilex', fps: 30, lengths: [12], cameras: ['front', 'left'], hasBars: true },
  'agilex_raw_bgr_episode1.hdf5': {
    layout: 'agilex',
    fps: 30,
    lengths: [16],
    cameras: ['front', 'left'],
    hasBars: true,
    task: 'put the cup on the shelf',
  },
  'roboset_float16.h5': {
    layout: 'robohive',
    fps: 10,
    lengths: [15, 11],
    cameras: ['left', 'right', 'top', 'wrist'],
    hasBars: true,
  },
  'generic_run_0042.h5': {
    layout: 'generic-hdf5',
    fps: 20,
    lengths: [40],
    cameras: ['gripper_eye', 'overhead_view'],
    hasBars: true,
    task: 'peg into hole, third try',
  },
  'robonet_mp4.hdf5': { layout: 'robonet', fps: 10, lengths: [30], cameras: ['cam0', 'cam1', 'cam2', 'cam3', 'cam4'] },
  'd4rl_a.hdf5': { layout: 'd4rl', fps: 20, lengths: [200, 200] },
  'minari/InvertedPendulum': { layout: 'minari', fps: 20, lengths: [40, 40, 25], cameras: ['pixels'] },
  'minari/HalfCheetah': { layout: 'minari', fps: 20, lengths: [60, 60, 33] },
  'maniskill3_fmb.h5': { layout: 'maniskill', fps: 20, lengths: [812] },
  maniskill_pickcube_rgb: { layout: 'maniskill', fps: 20, lengths: [12, 30, 7], cameras: ['base_camera'] },
  maniskill_pushcube_state: { layout: 'maniskill', fps: 20, lengths: [10, 9, 10] },
}

/** Not in the repository: tried where `NMP_FIXTURES` has them. */
const campaignExpectations: Record<string, Expected> = {
  'robomimic_lift_image.hdf5': {
    layout: 'robomimic',
    fps: 20,
    lengths: [48],
    cameras: ['agentview', 'robot0_eye_in_hand'],
  },
  'isaaclab_mimic.hdf5': { layout: 'isaac-lab', fps: 20, lengths: [236, 233] },
}
const campaign = Object.entries(campaignExpectations).filter(([name]) => findCampaignSet(`hdf5/${name}`))

const codec = openCodec()
afterAll(() => codec.close())

async function* readPictures(frames: CameraFrames): AsyncGenerator<Picture> {
  if (frames.kind === 'pixels') yield* frames.read()
  if (frames.kind !== 'packets') return
  await using source = await openFile(frames.file)
  await using video = await openVideo(source)
  const { startFrame, frameCount } = frames
  yield* codec.decode({ video, frames: { startFrame, endFrame: startFrame + frameCount } })
}

async function checkPictures(episode: Episode, camera: string, hasBars: boolean): Promise<void> {
  let count = 0
  for await (const picture of readPictures(await episode.openCamera(camera))) {
    if (hasBars) {
      const bands = readBands(picture)
      expect(bands).toMatchObject({ frameIndex: count, bottom: 'green' })
      expect([bands.left, bands.right]).toEqual(['red', 'blue'])
    }
    count++
  }
  expect(count).toBe(episode.length)
}

describe('real HDF5 files', () => {
  for (const [name, expected] of [...Object.entries(expectations), ...campaign]) {
    test(name, async () => {
      await using dataset = await openDataset(
        await openFolder(findCampaignSet(`hdf5/${name}`) ?? getFixture(`hdf5/${name}`)),
      )
      expect(dataset.origin.layout).toBe(expected.layout)
      expect(dataset.fps).toBe(expected.fps)
      const cameras = dataset.features.filter(isCamera).map((feature) => feature.name)
      expect(cameras).toEqual((expected.cameras ?? []).map((camera) => `observation.images.${camera}`))
      expect(dataset.findings.filter(({ severity }) => severity === 'error')).toEqual([])
      const episodes = Array.from({ length: dataset.episodeCount }, (_, position) => dataset.getEpisode(position))
      const lengths = episodes.map(({ length }) => length)
      expect(lengths.slice(0, expected.lengths.length)).toEqual(expected.lengths)
      expect(episodes[0]?.tasks).toEqual([expected.task ?? ''])
      for (const episode of episodes.slice(0, 3)) {
        let rows = 0
        for await (const block of episode.readBlocks()) rows += block.frameCount
        expect(rows).toBe(episode.length)
        for (const camera of cameras) await checkPictures(episode, camera, expected.hasBars ?? false)
      }
    })
  }

  test('every fixture has an expectation', async () => {
    const tree = await openFolder(fixtures)
    const files = (await tree.list()).map(({ path }) => path).filter((path) => /\.(h5|hdf5)$/.test(path))
    expect(files.filter((path) => !Object.keys(expectations).some((name) => path.startsWith(name)))).toEqual([])
  })

  test('truth values that a policy reads are numbers; marks of the end stay what they are', async () => {
    const tree = await openFolder(join(fixtures, 'maniskill_pickcube_rgb'))
    await using dataset = await openDataset(tree)
    const columns = dataset.features.filter((feature) => !isCamera(feature))
    const dtypes = Object.fromEntries(columns.map(({ name, dtype }) => [name, dtype]))
    expect(dtypes).toMatchObject({ 'observation.extra.is_grasped': 'float32', 'next.success': 'bool' })
    const values = new Set<number>()
    for await (const block of dataset.getEpisode(1).readBlocks())
      for (const value of block.columns.get('observation.extra.is_grasped') as Float32Array) values.add(value)
    expect([...values].every((value) => value === 0 || value === 1)).toBe(true)
  })

  test('several files share one summary', async () => {
    const summary = await inspectHdf5(join(fixtures, 'actpp_sim_insertion_compressed'))
    expect(summary).toMatchObject({ inspected: true, dataset_count: 14, truncated: false, reason: null })
    expect(summary.episodes.map(({ trajectory_id }) => trajectory_id)).toEqual(['episode_0', 'episode_1'])
    expect(summary.preview_candidates.padded_jpeg).toHaveLength(6)
    expect(summary.preview_candidates.padded_jpeg[1]).toMatchObject({
      path: 'episode_0.hdf5/observations/images/right_wrist',
      compress_len_path: 'episode_0.hdf5/compress_len',
      camera_index: 1,
      height: 96,
      width: 128,
    })
  })

  test('order, colour and orientation survive the conversion to video', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hdf5-converted-'))
    try {
      await using source = await openDataset(await openFolder(join(fixtures, 'libero_pick_up_the_milk_demo.hdf5')))
      await write(source, folder)
      await using written = await openDataset(await openFolder(folder))
      expect(written.frameCount).toBe(22)
      for (const position of [0, 1]) {
        const episode = written.getEpisode(position)
        expect(episode.tasks).toEqual(['pick up the milk and place it in the basket'])
        await checkPictures(episode, 'observation.images.agentview', true)
        await checkPictures(episode, 'observation.images.eye_in_hand', true)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
