import { createHash } from 'node:crypto'
import { openFile } from '../src/bytes.ts'
import { openVideo } from '../src/containers/video/video.ts'
import type { CameraFrames } from '../src/dataset.ts'

/** What a camera's packets are, one by one: equal where video was copied and not encoded anew. */
export async function hashPackets(frames: CameraFrames): Promise<string[]> {
  if (frames.kind !== 'packets') throw new Error('the camera gives no packets')
  await using source = await openFile(frames.file)
  await using video = await openVideo(source, { name: frames.file })
  const packets = video.readPackets(frames.startFrame, frames.startFrame + frames.frameCount)
  return await Array.fromAsync(packets, ({ data }) => createHash('sha256').update(data).digest('hex'))
}
