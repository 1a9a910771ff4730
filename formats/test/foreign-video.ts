import { dirname } from 'node:path'
import { openInChild } from '../src/containers/child/child.ts'
import { sandboxOfCodec } from '../src/containers/codec/codec.ts'
import { planEncoder } from '../src/containers/codec/plan.ts'
import { drawNumberedPictures } from './numbered-picture.ts'

/** FFmpeg's own MP4 of 24 numbered pictures, 64x48 at 20 a second, as other tools write it: with B-frames, an edit list, and keyframes that frames before them need. */
export async function encodeForeign(path: string, options: Record<string, string>): Promise<void> {
  const entry = new URL('../src/containers/codec/entry.ts', import.meta.url)
  const plan = planEncoder({ codec: 'h264', fps: 20, keyframeInterval: 6 }, { width: 64, height: 48 }, path)
  await using child = openInChild({
    entry,
    subject: path,
    unreadableCode: 'container_invalid',
    sandbox: sandboxOfCodec(dirname(path)),
  })
  const params = { width: 64, height: 48, pixelFormat: 'rgb24', filter: 'format=yuv420p', plan: { ...plan, options } }
  const input = async function* () {
    for await (const body of drawNumberedPictures(64, 48, 24)) yield { head: null, body }
  }
  for await (const _ of child.call('encode', params, input()));
}
