import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { writePng } from '../../test/picture-bombs.ts'
import type { CameraFeature } from '../feature.ts'
import { getWriter } from './index.ts'

let outside: string
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'nmp-camera-names-'))
})
afterEach(() => rm(outside, { recursive: true, force: true }))

/** Two pictures of one camera. */
function createFilm(name: string, storage: 'video' | 'image') {
  const camera: CameraFeature = { kind: 'camera', name, storage, width: 64, height: 48, channels: 3, info: {} }
  const bytes = writePng(camera)
  const seen = {
    kind: 'images' as const,
    frameCount: 2,
    read: async function* () {
      for (let frameIndex = 0; frameIndex < 2; frameIndex++) yield { frameIndex, bytes }
    },
  }
  return createMemoryDataset(
    [camera],
    [{ length: 2, tasks: [''], columns: new Map(), cameras: new Map([[name, seen]]) }],
  )
}

test.each(['lerobot-v3', 'lerobot-v2.1', 'gr00t'])(
  '%s writes no file of a camera outside of its folder',
  async (form) => {
    for (const name of ['../../../escaped', '..', 'a\\b', 'a\0b', 'ä'.repeat(130)])
      for (const storage of ['video', 'image'] as const) {
        const folder = join(outside, 'a', 'b', 'out')
        await expect(getWriter(form).write(createFilm(name, storage), folder), name).rejects.toMatchObject({
          code: 'path_refused',
          message: expect.stringContaining('cannot be the name of a folder'),
        })
      }
    expect(await readdir(outside)).toEqual([])
  },
)
