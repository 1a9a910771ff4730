/** Pictures of strangers, decoded by processes that can open no file: what they are sent is all that they see. */
import { availableParallelism } from 'node:os'
import { FormatError } from '../../errors.ts'
import { createLimiter } from '../../limiter.ts'
import type { ChildMessage, ChildOptions } from '../child/child.ts'
import { type ChildPool, createChildPool } from '../child/pool.ts'
import type { Sandbox } from '../child/sandbox.ts'
import type { DepthPixels, ImageProbe, Pixels } from './pixels.ts'
import type { AskedShape, PictureShape } from './reshape.ts'

export const sandboxOfPictures: Sandbox = { reads: [], writes: [] }

const child: ChildOptions = {
  entry: new URL('./decoding-entry.ts', import.meta.url),
  subject: 'the picture',
  unreadableCode: 'container_invalid',
  sandbox: sandboxOfPictures,
  limits: {
    deadlineSeconds: 120,
    memoryBytes: 1024 ** 3,
    effort: { baseSeconds: 60, secondsPerMegabyte: 20 },
    fileBytes: 0,
    openFiles: 64,
  },
  isResident: true,
}
const mostProcesses = Math.min(4, availableParallelism())
/** Without work for so long they end, and give back their memory. */
const idleMilliseconds = 60_000

let pool: ChildPool | undefined
let callCount = 0
let idle: NodeJS.Timeout | undefined

/** Large pictures: each costs some hundred megabytes, depending on how it was written. */
const alone = createLimiter(1)

async function decode(name: string, bytes: Uint8Array, shape: PictureShape): Promise<ChildMessage> {
  const answer = await ask(name, bytes, shape)
  if (!(answer.head as { isLarge?: true }).isLarge) return answer
  return alone.run(() => ask(name, bytes, { ...shape, isAlone: true }))
}

async function ask(name: string, bytes: Uint8Array, shape: AskedShape = {}): Promise<ChildMessage> {
  clearTimeout(idle)
  callCount++
  pool ??= createChildPool(async () => child, mostProcesses)
  const current = pool
  try {
    const answers = current.call(name, shape, sendOnce(bytes), {})
    for (;;) {
      const step = await answers.next()
      if (step.done) return step.value
    }
  } finally {
    callCount--
    if (callCount === 0) idle = setTimeout(endProcesses, idleMilliseconds).unref()
  }
}

function endProcesses(): void {
  void pool?.close()
  pool = undefined
}

async function* sendOnce(body: Uint8Array): AsyncGenerator<ChildMessage> {
  yield { head: null, body }
}

export async function probeImage(bytes: Uint8Array): Promise<ImageProbe> {
  return (await ask('probe', bytes)).head as ImageProbe
}

export async function decodeImage(bytes: Uint8Array, shape: PictureShape): Promise<Pixels> {
  const { width, height, data } = readPixels(await decode('decode', bytes, shape), 3)
  return { width, height, channels: 3, data }
}

export async function decodeDepthImage(bytes: Uint8Array, shape: PictureShape): Promise<DepthPixels> {
  const { width, height, data } = readPixels(await decode('decodeDepth', bytes, shape), 2)
  return { width, height, data: new Uint16Array(data.slice().buffer) }
}

/** Whoever was taken over may say any size: there are as many bytes as it makes, or it is no answer. */
function readPixels({ head, body = new Uint8Array() }: ChildMessage, pixelBytes: number) {
  const { width, height } = head as { width: number; height: number }
  const isSize = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0
  if (!isSize || width * height * pixelBytes !== body.byteLength)
    throw new FormatError('source_file_crashes_parser', 'The parser of the picture gave an invalid answer.')
  return { width, height, data: body }
}
