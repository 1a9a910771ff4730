import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { inspectHdf5 } from './hdf5-summary.ts'

const golden = fileURLToPath(new URL('../../test/golden/hdf5', import.meta.url))
const locate = (path: string) => join(golden, path)

describe('the summary of an HDF5 source', () => {
  test('names groups, datasets, attributes and episodes', async () => {
    const summary = await inspectHdf5(locate('robomimic/source/low.hdf5'))
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
    expect(summary).toMatchObject({ kind: 'hdf5_summary', inspected: true, reason: null, truncated: false })
    expect(summary.datasets).toHaveLength(summary.dataset_count ?? 0)
    expect(summary.groups).toHaveLength(summary.group_count ?? 0)
    expect(summary.datasets.find(({ path }) => path === '/data/demo_2/obs/agentview_image')).toEqual({
      path: '/data/demo_2/obs/agentview_image',
      shape: [4, 48, 64, 3],
      dtype: 'uint8',
      ndim: 4,
      size: 4 * 48 * 64 * 3,
      compression: 'gzip',
      chunks: expect.arrayContaining([expect.any(Number)]),
      attrs: {},
    })
    expect(summary.groups.find(({ path }) => path === '/data')?.attrs).toMatchObject({ total: 21 })
    expect(summary.episodes[10]).toEqual({
      episode_index: 10,
      split: 'valid',
      trajectory_id: 'demo_10',
      frames_path: '/data/demo_10/obs/agentview_image',
      group_path: '/data/demo_10',
      length_frames: 3,
      duration_sec: 0.3,
    })
    expect(summary.preview_candidates.image).toHaveLength(11)
    expect(summary.preview_candidates.numeric_tensor.map(({ path }) => path)).toContain('/data/demo_0/actions')
  })

  test('tells the five kinds of candidates apart', async () => {
    const padded = await inspectHdf5(locate('mobile-aloha/source/episode_3.hdf5'))
    expect(
      padded.preview_candidates.padded_jpeg.map(({ camera_key, camera_index }) => [camera_key, camera_index]),
    ).toEqual([
      ['cam_high', 0],
      ['cam_left_wrist', 2],
      ['cam_low', 1],
      ['cam_right_wrist', 3],
    ])
    expect(padded.preview_candidates.padded_jpeg[0]).toMatchObject({
      layout: 'PADDED_JPEG',
      encoding: 'jpeg',
      fps: 50,
      compress_len_path: '/compress_len',
    })
    const bytes = await inspectHdf5(locate('rdt/source/episode_0.hdf5'))
    expect(bytes.preview_candidates.jpeg_bytes).toMatchObject([
      { layout: 'JPEG_BYTES', frames: 4, height: 48, width: 64, channels: 3 },
    ])
    const paths = await inspectHdf5(locate('agilex-paths/source'))
    expect(paths.preview_candidates.image_path).toMatchObject([
      {
        layout: 'IMAGE_PATH',
        encoding: 'image_path',
        first_frame_path: 'camera/color/front/0.jpg',
        camera_key: 'front',
      },
    ])
    const channelsFirst = await inspectHdf5(locate('television/source'))
    expect(channelsFirst.preview_candidates.image).toMatchObject([
      { layout: 'CHW', height: 48, width: 64, channels: 3 },
    ])
  })

  test('is one for several files, with their names before the paths', async () => {
    const summary = await inspectHdf5(locate('aloha/source'))
    expect(summary).toMatchObject({ dataset_count: 20, group_count: 12 })
    expect(summary.episodes.map(({ group_path }) => group_path)).toEqual(
      [0, 1, 2, 10].map((episode) => `episode_${episode}.hdf5/`),
    )
    expect(summary.root_attrs).toMatchObject({ 'episode_10.hdf5': { sim: true } })
  })

  test('says why a file was not looked into', async () => {
    const large = await inspectHdf5(locate('aloha/source'), { maxBytes: 1000 })
    expect(large).toMatchObject({ inspected: false, max_bytes: 1000, reason: expect.stringMatching(/at most 1000/) })
    const cut = await inspectHdf5(locate('refused-cut-off/source/episode_0.hdf5'))
    expect(cut).toMatchObject({ inspected: false, reason: expect.stringMatching(/cut off/), dataset_count: null })
    const some = await inspectHdf5(locate('some-files-bad/source'))
    expect(some).toMatchObject({ inspected: true, reason: expect.stringMatching(/episode_1\.hdf5.*cut off/) })
  })
})
