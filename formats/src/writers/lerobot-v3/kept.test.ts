import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryDataset, type MemoryEpisode } from '../../../test/memory-dataset.ts'
import { drawNumberedPictures } from '../../../test/numbered-picture.ts'
import type { CameraFeature } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { apply as selectEpisodes } from '../../steps/select-episodes.ts'
import type { WrittenFile } from '../writer.ts'
import { write } from './writer.ts'

const size = { width: 64, height: 64, channels: 3 }
const camera: CameraFeature = { kind: 'camera', name: 'front', storage: 'video', ...size, info: {} }

const episode: MemoryEpisode = {
  length: 20,
  tasks: ['Look'],
  columns: new Map(),
  cameras: new Map([
    [
      camera.name,
      {
        kind: 'pixels',
        frameCount: 20,
        ...size,
        read: async function* () {
          let frameIndex = 0
          for await (const data of drawNumberedPictures(64, 64, 20)) yield { frameIndex: frameIndex++, ...size, data }
        },
      },
    ],
  ]),
}

const makeFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kept-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('a subset keeps the files of its source that it needs whole, and tells of each file when it is finished', async () => {
  const [first, source, target] = [await makeFolder(), await makeFolder(), await makeFolder()]
  const codec = { videoCodec: 'h264' } as const
  await write(createMemoryDataset([camera], [episode]), first, codec)
  const episodeBytes = (await stat(join(first, 'videos/front/chunk-000/file-000.mp4'))).size
  const threeToAFile = { ...codec, videoLimitBytes: episodeBytes * 3.4 }
  await write(createMemoryDataset([camera], Array(9).fill(episode)), source, threeToAFile)

  await using whole = await openDataset(await openFolder(source))
  const files: WrittenFile[] = []
  const report = await write(selectEpisodes(whole, { excluded: [1] }), target, {
    ...threeToAFile,
    keepFilesBy: 'link',
    onFile: (file) => files.push(file),
  })

  expect(new Set(files)).toEqual(new Set(report.files))
  const videos = files.filter(({ path }) => path.startsWith('videos/'))
  expect(videos.map(({ path }) => path.slice(-12))).toEqual(['file-000.mp4', 'file-001.mp4', 'file-002.mp4'])
  expect(videos.map(({ keptFrom }) => keptFrom?.slice(-12))).toEqual([undefined, 'file-001.mp4', 'file-002.mp4'])
  for (const { path, keptFrom } of videos)
    if (keptFrom) expect((await stat(join(target, path))).ino).toBe((await stat(keptFrom)).ino)

  await using written = await openDataset(await openFolder(target))
  expect(written.episodeCount).toBe(8)
  expect(written.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  expect([...(written.intact?.videos.keys() ?? [])]).toEqual(['front'])
})
