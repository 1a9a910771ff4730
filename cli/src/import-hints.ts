import type { ImportOptions } from '@nmp/sdk/generated/records'
import type { Invocation, Option } from './command.ts'
import { usageError } from './failures.ts'

/** What a person may know better than the files. */
export const hintOptions: Record<string, Option> = {
  fps: { type: 'string', value: 'N', about: 'frames per second, if the files do not say' },
  task: { type: 'string', value: 'TEXT', about: 'what the robot does, if the files do not say' },
  'color-order': { type: 'string', value: 'rgb|bgr', about: 'order of the color channels of raw pictures' },
  'flip-vertical': { type: 'boolean', about: 'turn raw pictures upside down' },
  'video-codec': { type: 'string', value: 'av1|h264', about: 'how raw pictures are encoded' },
}

export function readHints({ text, flag }: Invocation): ImportOptions {
  const fps = text('fps')
  if (fps !== undefined && !(Number(fps) > 0)) throw usageError(`--fps takes a number, not ${fps}.`)
  return {
    fps: fps === undefined ? undefined : Number(fps),
    task: text('task'),
    color_order: text('color-order') as 'rgb' | 'bgr' | undefined,
    flip_vertical: flag('flip-vertical') || undefined,
    video_codec: text('video-codec') as 'av1' | 'h264' | undefined,
  }
}
