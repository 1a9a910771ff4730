/**
 * `node bench/src/training/encoder-grid.ts`: what a setting of the encoder costs and gives, on a real recording: size, PSNR to the frames
 * that were encoded, and pictures that torchcodec decodes in random order in a second of the processor. Needs NMP_FIXTURES and
 * `.ci/install-python`.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openFile } from '../../../formats/src/bytes.ts'
import { type EncodeSettings, openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import { python, torchcodecEnv } from '../lerobot.ts'

const recording = 'lerobot/so101-v3.0/videos/observation.images.wrist/chunk-000/file-000.mp4'
const frameCount = 450
const fps = 30

const grid: Readonly<Record<string, Partial<EncodeSettings>>> = {
  'as we do': {},
  'the same again': {},
  ...Object.fromEntries([1, 5, 10, 15, 30].map((interval) => [`GOP ${interval}`, { keyframeInterval: interval }])),
  ...Object.fromEntries([25, 35, 40].map((crf) => [`crf ${crf}`, { crf }])),
  'preset 8': { preset: '8' },
  'GOP 5, crf 25': { keyframeInterval: 5, crf: 25 },
  'H.264, GOP 2, crf 23': { codec: 'h264' },
}

const original = join(process.env.NMP_FIXTURES ?? '.', recording)
const folder = await mkdtemp(join(tmpdir(), 'nmp-encoder-grid-'))
try {
  await using source = await openFile(original)
  await using video = await openVideo(source)
  await using codec = openCodec()
  const paths: string[] = []
  for (const [name, settings] of Object.entries(grid)) {
    const path = join(folder, `${name}.mp4`)
    const from = { video, startFrame: 0, endFrame: frameCount }
    await codec.transcode({ from, path, settings: { codec: 'av1', fps, ...settings } })
    paths.push(path)
  }
  const script = join(import.meta.dirname, 'encoder_grid_peer.py')
  const words = [script, original, String(frameCount), String(fps), ...paths]
  const env = { ...torchcodecEnv(folder), OMP_NUM_THREADS: '1' }
  console.log((await promisify(execFile)(python, words, { env })).stdout)
} finally {
  await rm(folder, { recursive: true })
}
