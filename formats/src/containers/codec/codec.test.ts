import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testWhere } from '../../../../fixtures/test-where.ts'
import { encodeForeign } from '../../../test/foreign-video.ts'
import { drawNumberedPicture, drawNumberedPictures, readPictureNumber } from '../../../test/numbered-picture.ts'
import { openFile } from '../../bytes.ts'
import { addPicture, createCameraStatistics } from '../../statistics/camera.ts'
import { openInChild } from '../child/child.ts'
import { decodeImage, probeImage } from '../image.ts'
import { openVideo } from '../video/video.ts'
import { createMp4Writer, verifyVideo } from '../video/writer.ts'
import { type Codec, type EncodeSettings, openCodec, sandboxOfCodec } from './codec.ts'
import { planEncoder } from './plan.ts'

let folder: string
let codec: Codec

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-codec-'))
  codec = openCodec({ limits: { idleSeconds: 30 } })
})

afterAll(async () => {
  await codec.close()
  await rm(folder, { recursive: true })
})

function encode(name: string, count: number, size: [number, number], settings: EncodeSettings, first = 0) {
  const [width, height] = size
  const frames = () => drawNumberedPictures(width, height, count, first)
  return codec.encode({ path: join(folder, name), width, height, settings, frames })
}

async function readNumbers(path: string, frames?: number[]): Promise<number[]> {
  await using source = await openFile(path)
  await using video = await openVideo(source)
  const numbers: number[] = []
  for await (const picture of codec.decode({ video, ...(frames ? { frames } : {}) }))
    numbers.push(readPictureNumber(picture))
  return numbers
}

test('every frame comes back with its own number, on the exact grid, a keyframe every second frame', async () => {
  const written = await encode('av1.mp4', 41, [128, 96], { codec: 'av1', fps: 30 })
  expect(written).toMatchObject({ codec: 'av1', frameCount: 41, isPadded: false, pixelFormat: 'yuv420p' })
  expect(written.info).toEqual({ 'video.g': 2, 'video.crf': 30, 'video.preset': 12, 'video.fast_decode': 0 })
  const everySecond = Array.from({ length: 21 }, (_, index) => index * 2)
  await verifyVideo(written.path, { frameCount: 41, fps: 30, keyframes: everySecond })
  expect(await readNumbers(written.path)).toEqual(Array.from({ length: 41 }, (_, index) => index))
  expect(await readNumbers(written.path, [3, 4, 17, 40])).toEqual([3, 4, 17, 40])
})

test.each(['av1', 'h264'] as const)('keyframes of the source are none of the result: %s', async (name) => {
  const written = await encode('thirds.mp4', 20, [128, 96], { codec: 'h264', fps: 20, keyframeInterval: 3 })
  await using source = await openFile(written.path)
  await using video = await openVideo(source)
  expect([...video.facts.keyframes]).toEqual([0, 3, 6, 9, 12, 15, 18])
  const path = join(folder, `thirds-${name}.mp4`)
  await codec.transcode({ from: { video, startFrame: 0, endFrame: 20 }, path, settings: { codec: name, fps: 20 } })
  await verifyVideo(path, { frameCount: 20, fps: 20, keyframes: Array.from({ length: 10 }, (_, index) => index * 2) })
  await using made = await openFile(path)
  await using result = await openVideo(made)
  expect(result.facts.keyframes).toHaveLength(10)
})

test.each(['av1', 'h264', 'depth'] as const)('the same frames give the same bytes: %s', async (name) => {
  const make = async (run: number) => {
    const path = join(folder, `${name}-${run}.mp4`)
    const frames = name === 'depth' ? () => drawDepth(64, 64, 12) : () => drawNumberedPictures(64, 64, 12)
    await codec.encode({ path, width: 64, height: 64, settings: { codec: name, fps: 20 }, frames })
    return readFile(path)
  }
  expect((await make(1)).equals(await make(2))).toBe(true)
  await using fresh = openCodec()
  const path = join(folder, `${name}-fresh.mp4`)
  const frames = name === 'depth' ? () => drawDepth(64, 64, 12) : () => drawNumberedPictures(64, 64, 12)
  await fresh.encode({ path, width: 64, height: 64, settings: { codec: name, fps: 20 }, frames })
  expect((await make(3)).equals(await readFile(path)), 'in a process that has encoded others before').toBe(true)
})

test('frames below 64 pixels become H.264, odd sizes gain one pixel', async () => {
  const written = await encode('small.mp4', 7, [48, 33], { codec: 'av1', fps: 10 })
  expect(written).toMatchObject({ codec: 'h264', width: 48, height: 34, isPadded: true, frameCount: 7 })
  expect(await readNumbers(written.path)).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('JPEG of a long video comes in order, the same whichever process makes it', async () => {
  const { path } = await encode('long.mp4', 300, [64, 64], { codec: 'h264', fps: 30 })
  await using source = await openFile(path)
  await using video = await openVideo(source)
  const render = (startFrame: number, endFrame: number) =>
    Array.fromAsync(codec.render({ video, frames: { startFrame, endFrame } }))
  const parts = [await render(0, 100), await render(100, 200), await render(200, 300)].flat()
  expect(await render(0, 300)).toEqual(parts)
  expect(parts.map(({ frameIndex }) => frameIndex)).toEqual(Array.from({ length: 300 }, (_, frame) => frame))
  for await (const { frameIndex, bytes } of codec.render({ video })) {
    expect(readPictureNumber(await decodeImage(bytes))).toBe(frameIndex)
    // Whoever leaves early leaves no process at work, and the next call is answered.
    if (frameIndex === 3) break
  }
  expect((await render(290, 300)).map(({ bytes }) => bytes)).toEqual(parts.slice(290).map(({ bytes }) => bytes))
})

async function* drawDepth(width: number, height: number, count: number): AsyncGenerator<Uint16Array> {
  for (let frame = 0; frame < count; frame++) {
    yield Uint16Array.from({ length: width * height }, (_, index) => (index * 7 + frame * 131) % 4096)
  }
}

test.each([
  [64, 64],
  [33, 17],
])('depth of %i x %i is lossless', async (width, height) => {
  const path = join(folder, 'depth.mp4')
  const frames = () => drawDepth(width, height, 40)
  const written = await codec.encode({ path, width, height, settings: { codec: 'depth', fps: 15 }, frames })
  expect(written).toMatchObject({ codec: 'hevc', pixelFormat: 'gray12le', frameCount: 40, width, height })
  await using source = await openFile(path)
  await using video = await openVideo(source)
  expect(video.facts.pixelFormat).toBe('gray12le')
  const found = await Array.fromAsync(codec.decode({ video, pixels: 'depth' }), (picture) => picture.data)
  expect(found).toEqual(await Array.fromAsync(drawDepth(width, height, 40)))
})

test('statistics made in the process are those of the pictures that come out of it', async () => {
  const color = await encode('counted.mp4', 40, [130, 98], { codec: 'h264', fps: 20 })
  const settings = { codec: 'depth', fps: 20 } as const
  const drawn = { path: join(folder, 'counted-depth.mp4'), width: 33, height: 17, frames: () => drawDepth(33, 17, 40) }
  const depth = await codec.encode({ ...drawn, settings })
  for (const [path, pixels] of [[color.path, 'rgb'] as const, [depth.path, 'depth'] as const]) {
    await using source = await openFile(path)
    await using video = await openVideo(source)
    // Some frames, in one process; all of them, in two.
    for (const frames of [Array.from({ length: 19 }, (_, index) => 1 + 2 * index), { startFrame: 0, endFrame: 40 }]) {
      const request = { video, pixels, frames }
      const expected = createCameraStatistics(pixels === 'rgb' ? 3 : 1, pixels === 'depth')
      for await (const picture of codec.decode(request)) addPicture(expected, picture)
      expect(await codec.measure(request)).toEqual(expected)
    }
    await expect(codec.measure({ video, frames: [39, 40] })).rejects.toMatchObject({ code: 'container_invalid' })
  }
})

test('frames of a middle range, cropped and resized in the process, keep their numbers', async () => {
  const { path } = await encode('wide.mp4', 30, [256, 96], { codec: 'h264', fps: 25 })
  await using source = await openFile(path)
  await using video = await openVideo(source)
  for (const mode of ['fit', 'fill', 'stretch'] as const) {
    const written = await codec.transcode({
      from: { video, startFrame: 11, endFrame: 20 },
      transform: { crop: { left: 0, top: 0, width: 256, height: 64 }, resize: { width: 128, height: 64, mode } },
      path: join(folder, `${mode}.mp4`),
      settings: { codec: 'h264', fps: 25 },
    })
    expect(written).toMatchObject({ width: 128, height: 64, frameCount: 9 })
    if (mode === 'stretch') expect(await readNumbers(written.path)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19])
  }
})

const childrenPath = `/proc/${process.pid}/task/${process.pid}/children`

/** Half a megabyte stayed behind of every frame once, which an HDF5 of 20 GB does not survive. */
testWhere(existsSync(childrenPath))('the process that encodes does not grow with what it has encoded', async () => {
  const frames = Array.from({ length: 4 }, (_, seed) => new Uint8Array(640 * 480 * 3).fill(40 * seed))
  const plan = planEncoder({ codec: 'h264', fps: 30 }, { width: 640, height: 480 }, join(folder, 'growth.mp4'))
  const params = { width: 640, height: 480, pixelFormat: 'rgb24', filter: 'format=yuv420p', plan }
  const entry = new URL('./entry.ts', import.meta.url)
  const before = await listChildren()
  await using child = openInChild({
    entry,
    subject: 'growth',
    unreadableCode: 'container_invalid',
    sandbox: sandboxOfCodec(folder),
  })
  const encodeSome = async () => {
    const input = async function* () {
      for (let frame = 0; frame < 150; frame++) yield { head: null, body: frames[frame % 4] as Uint8Array }
    }
    for await (const _ of child.call('encode', params, input()));
  }
  for (let round = 0; round < 2; round++) await encodeSome()
  const [pid] = (await listChildren()).filter((id) => !before.includes(id))
  const warm = await readResidentMegabytes(pid)
  for (let round = 0; round < 6; round++) await encodeSome()
  expect(await readResidentMegabytes(pid)).toBeLessThan(warm + 150)
})

const listChildren = async (): Promise<string[]> => (await readFile(childrenPath, 'utf8')).split(' ').filter(Boolean)

const readResidentMegabytes = async (pid = ''): Promise<number> =>
  Number(/RssAnon:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('the poster is the picture on screen at that time', async () => {
  const { path } = await encode('poster.mp4', 20, [128, 96], { codec: 'h264', fps: 10 })
  await using source = await openFile(path)
  await using video = await openVideo(source)
  const png = await codec.renderPoster({ video, seconds: 1.25, maxWidth: 64 })
  expect(await probeImage(png)).toMatchObject({ format: 'png', width: 64, height: 48 })
})

test.each([
  ['closed', { bf: '3', crf: '18' }],
  ['open', { bf: '3', crf: '18', 'x264-params': 'open-gop=1:scenecut=0' }],
])(
  'a stream with B-frames and %s groups is cut only where no frame needs another',
  async (name, options) => {
    const foreign = join(folder, `${name}.mp4`)
    await encodeForeign(foreign, options)
    await using source = await openFile(foreign)
    await using video = await openVideo(source)
    expect(video.facts).toMatchObject({ isReordered: true, frameCount: 24, fps: 20, startSeconds: 0 })
    const all = Array.from({ length: 24 }, (_, index) => index)
    expect(await Array.fromAsync(codec.decode({ video }), (picture) => readPictureNumber(picture))).toEqual(all)
    expect(
      await Array.fromAsync(codec.decode({ video, frames: [5, 6, 11, 12, 23] }), (picture) =>
        readPictureNumber(picture),
      ),
    ).toEqual([5, 6, 11, 12, 23])
    let cuts = 0
    for (const startFrame of video.facts.keyframes) {
      for (let endFrame = startFrame + 1; endFrame <= 24; endFrame++) {
        if (!video.canCopy(startFrame, endFrame)) continue
        cuts++
        const path = join(folder, 'cut.mp4')
        const writer = createMp4Writer({ path, fps: 20 })
        writer.append(video, startFrame, endFrame)
        writer.append(video, 0, 24)
        await writer.finish()
        const frameCount = endFrame - startFrame + 24
        await verifyVideo(path, { frameCount, fps: 20, keyframes: [0, endFrame - startFrame] })
        expect(await readNumbers(path)).toEqual([...all.slice(startFrame, endFrame), ...all])
      }
    }
    expect(cuts).toBeGreaterThan(3)
  },
  120_000,
)

test.each(['av1', 'h264', 'depth'] as const)('a JPEG of a frame shows what its pixels are: %s', async (name) => {
  const path = join(folder, `render-${name}.mp4`)
  const isDepth = name === 'depth'
  const frames = isDepth ? () => drawDepth(96, 64, 9) : () => drawNumberedPictures(96, 64, 9)
  await codec.encode({ path, width: 96, height: 64, settings: { codec: name, fps: 20 }, frames })
  await using source = await openFile(path)
  await using video = await openVideo(source)
  const wanted = [1, 4, 8]
  const pixels: Uint8Array[] = []
  for await (const { data } of codec.decode({ video, frames: wanted })) pixels.push(data as Uint8Array)
  let place = 0
  for await (const { frameIndex, bytes } of codec.render({ video, frames: wanted })) {
    expect(frameIndex).toBe(wanted[place])
    const shown = await decodeImage(bytes)
    if (!isDepth) expect(readPictureNumber(shown)).toBe(frameIndex)
    // JPEG has colour at half the resolution, and these pictures are all edges.
    expect(measurePsnr(shown.data, pixels[place] as Uint8Array)).toBeGreaterThan(28)
    place++
  }
  expect(place).toBe(3)
  const resize = { width: 48, height: 31, mode: 'stretch' } as const
  for await (const { bytes } of codec.render({ video, frames: [2], transform: { resize } }))
    expect(await probeImage(bytes)).toMatchObject({ format: 'jpeg', width: 48, height: 31 })
})

function measurePsnr(one: Uint8Array, other: Uint8Array): number {
  let squares = 0
  for (let at = 0; at < one.length; at++) squares += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2
  return 10 * Math.log10(255 ** 2 / (squares / one.length))
}

test('an abort stops the encoder', async () => {
  const controller = new AbortController()
  async function* endless() {
    for (let index = 0; ; index++) {
      if (index === 20) controller.abort(new Error('enough'))
      yield drawNumberedPicture(128, 96, index)
    }
  }
  const settings = { codec: 'h264', fps: 10 } as const
  const request = { path: join(folder, 'x.mp4'), width: 128, height: 96, settings, frames: endless }
  await expect(codec.encode({ ...request, signal: controller.signal })).rejects.toThrow('enough')
})

test('a frame of the wrong size is refused by name', async () => {
  const settings = { codec: 'h264', fps: 10 } as const
  const frames = () => drawNumberedPictures(64, 32, 2)
  const attempt = codec.encode({ path: join(folder, 'y.mp4'), width: 64, height: 64, settings, frames })
  await expect(attempt).rejects.toMatchObject({ code: 'unsupported' })
})

test.each([
  { crop: { left: 8, top: 4, width: 96, height: 64 } },
  { resize: { width: 80, height: 80, mode: 'fit' } },
  { crop: { left: 0, top: 0, width: 96, height: 96 }, resize: { width: 72, height: 90, mode: 'fill' } },
  { resize: { width: 64, height: 90, mode: 'stretch' }, next: { crop: { left: 2, top: 2, width: 40, height: 40 } } },
] as const)('a picture of a change before it is stored is the picture after it: %j', async (transform) => {
  const { path } = await encode('changed-from.mp4', 6, [128, 96], { codec: 'h264', fps: 10 })
  await using source = await openFile(path)
  await using video = await openVideo(source)
  // H.264 at crf 0 loses nothing, so what is left is what the change itself does.
  const lossless = { codec: 'h264', fps: 10, crf: 0 } as const
  const from = { video, startFrame: 0, endFrame: 6 }
  const stored = await codec.transcode({ from, transform, path: join(folder, 'changed-to.mp4'), settings: lossless })
  await using after = await openFile(stored.path)
  await using result = await openVideo(after)
  const change = { transform, isDepth: false }
  const small = { resize: { width: 32, height: 24, mode: 'stretch' } } as const
  for (const more of [{}, { transform: small }]) {
    const before = await Array.fromAsync(codec.decode({ video, frames: [1, 4], change, ...more }))
    expect(before).toEqual(await Array.fromAsync(codec.decode({ video: result, frames: [1, 4], ...more })))
    const [shown] = await Array.fromAsync(codec.render({ video, frames: [4], change, ...more }))
    const [kept] = await Array.fromAsync(codec.render({ video: result, frames: [4], ...more }))
    expect(shown).toEqual(kept)
  }
})
