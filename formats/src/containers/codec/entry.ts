/** The child that holds FFmpeg. Where the library cannot be loaded, every call is refused by a sentence that says so. */
import { type ChildHandler, serveCalls } from '../child/server.ts'
import type { CallName } from './calls.ts'
import { describeMissingCodec } from './library.ts'

serveCalls(await loadHandlers())

async function loadHandlers(): Promise<Readonly<Record<CallName, ChildHandler>>> {
  try {
    await import('node-av')
  } catch (error) {
    const refuse = (): never => {
      throw describeMissingCodec(error)
    }
    return { decode: refuse, render: refuse, compress: refuse, measure: refuse, encode: refuse, transcode: refuse }
  }
  return (await import('./ffmpeg.ts')).handlers
}
