import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Codec, openCodec } from '@nmp/formats/codec'
import type { Context } from '../context.ts'

/** Encoders at a time, of all parts of an export that this process works on; each has two threads of its own. */
export const encoderLanes = Math.min(8, availableParallelism())
/** How long processes wait for the next part: starting one takes as long as encoding some seconds of film. */
const idleMilliseconds = 5_000

interface Kept {
  codec: Codec
  users: number
  closing: NodeJS.Timeout | undefined
}

const keptBy = new WeakMap<Context, Map<string, Kept>>()

/** Codec processes that the parts of one export share, and nobody else: what one film does to them, another organization's never meets. */
export function takeCodec(context: Context, exportId: string): { codec: Codec } & Disposable {
  const all = keptBy.get(context) ?? startKeeping(context)
  const kept = all.get(exportId) ?? { codec: openEncoders(context), users: 0, closing: undefined }
  all.set(exportId, kept)
  clearTimeout(kept.closing)
  kept.users++
  const close = () => {
    all.delete(exportId)
    void kept.codec.close()
  }
  return {
    codec: kept.codec,
    [Symbol.dispose]: () => {
      if (--kept.users === 0) kept.closing = setTimeout(close, idleMilliseconds).unref()
    },
  }
}

/** Large films do not pass through the system's folder for temporary files. */
function openEncoders({ config }: Context): Codec {
  const folder = join(config.NMP_DATA_DIR, 'work')
  mkdirSync(folder, { recursive: true })
  return openCodec({ maxProcesses: encoderLanes, folder })
}

function startKeeping(context: Context): Map<string, Kept> {
  const all = new Map<string, Kept>()
  keptBy.set(context, all)
  context.closers.push(async () => {
    for (const { codec, closing } of all.values()) {
      clearTimeout(closing)
      await codec.close()
    }
  })
  return all
}
