import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { drawNumberedPictures } from '../../../test/numbered-picture.ts'
import { createByteSource, openFile } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { openCodec } from '../codec/codec.ts'
import { mediabunny } from './mediabunny.ts'
import { findSampleTable } from './table.ts'
import { openVideo, type Video } from './video.ts'
import { createMp4Writer, verifyVideo } from './writer.ts'

const { EncodedPacketSink, FilePathSource, Input, MP4 } = mediabunny

const fixtures = getFixture('lerobot')

let folder: string
let h264: string
let otherSize: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-video-'))
  await using codec = openCodec()
  const make = async (name: string, width: number) => {
    const path = join(folder, name)
    const frames = () => drawNumberedPictures(width, 48, 40)
    await codec.encode({ path, width, height: 48, settings: { codec: 'h264', fps: 30 }, frames })
    return path
  }
  h264 = await make('h264.mp4', 64)
  otherSize = await make('other.mp4', 80)
})

afterAll(() => rm(folder, { recursive: true }))

async function hashPackets(video: Video, startFrame: number, endFrame: number): Promise<string[]> {
  return Array.fromAsync(video.readPackets(startFrame, endFrame), ({ frameIndex, data }) => {
    return `${frameIndex - startFrame} ${createHash('sha1').update(data).digest('hex')}`
  })
}

test('ranges are joined packet by packet on the exact grid, with the same bytes each time', async () => {
  await using source = await openFile(h264)
  await using video = await openVideo(source)
  const make = async (name: string) => {
    const path = join(folder, name)
    const writer = createMp4Writer({ path, fps: 30 })
    for (const [startFrame, endFrame] of [
      [10, 20],
      [0, 40],
      [38, 39],
    ] as const)
      writer.append(video, startFrame, endFrame)
    expect(writer.frameCount).toBe(51)
    await writer.finish()
    return path
  }
  const path = await make('joined.mp4')
  const { decoderConfig } = video.facts
  await verifyVideo(path, { frameCount: 51, fps: 30, keyframes: [0, 10, 50], decoderConfig })
  await using joinedSource = await openFile(path)
  await using joined = await openVideo(joinedSource)
  expect(await hashPackets(joined, 10, 50)).toEqual(await hashPackets(video, 0, 40))
  expect(await hashPackets(joined, 0, 10)).toEqual(await hashPackets(video, 10, 20))
  const bytes = await readFile(path)
  expect(bytes.equals(await readFile(await make('again.mp4')))).toBe(true)
  expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
})

test('streams of another configuration and cuts inside a group are refused', async () => {
  await using source = await openFile(h264)
  await using video = await openVideo(source)
  await using otherSource = await openFile(otherSize)
  await using other = await openVideo(otherSource)
  const writer = createMp4Writer({ path: join(folder, 'never.mp4'), fps: 30 })
  writer.append(video, 0, 10)
  expect(writer.canAppend(other, 0, 10)).toBe(false)
  expect(() => writer.append(other, 0, 10)).toThrow(expect.objectContaining({ code: 'video_not_joinable' }))
  expect(() => writer.append(video, 1, 10)).toThrow(expect.objectContaining({ code: 'video_not_joinable' }))
  expect(() => writer.append(video, 0, 41)).toThrow(expect.objectContaining({ code: 'video_not_joinable' }))
})

test('the verification notices a missing frame, another rate and an absent keyframe', async () => {
  const truth = { frameCount: 40, fps: 30, keyframes: [0, 2] }
  await verifyVideo(h264, truth)
  for (const wrong of [{ frameCount: 41 }, { fps: 29 }, { keyframes: [1] }, { decoderConfig: new Uint8Array(4) }]) {
    await expect(verifyVideo(h264, { ...truth, ...wrong })).rejects.toMatchObject({ code: 'container_invalid' })
  }
})

test('fractions of a frame rate stay exact', async () => {
  await using source = await openFile(h264)
  await using video = await openVideo(source)
  const path = join(folder, 'ntsc.mp4')
  const writer = createMp4Writer({ path, fps: 30_000 / 1001 })
  writer.append(video, 0, 40)
  await writer.finish()
  await verifyVideo(path, { frameCount: 40, fps: 30_000 / 1001, keyframes: [0] })
})

const disguises = {
  'an ffconcat list': "ffconcat version 1.0\nfile 'h264.mp4'\n",
  'an HLS playlist': '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nh264.mp4\n#EXT-X-ENDLIST\n',
  'an HLS master playlist': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nh264.mp4\n',
  'an SDP text': 'v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n',
  'a DASH manifest': '<?xml version="1.0"?><MPD><BaseURL>h264.mp4</BaseURL></MPD>',
  nothing: '',
}

test.each(Object.entries(disguises))('%s named .mp4 is refused and opens no other file', async (_, text) => {
  const path = join(folder, 'disguise.mp4')
  await writeFile(path, text)
  await using source = await openFile(path)
  await expect(openVideo(source)).rejects.toMatchObject({ code: 'container_invalid' })
})

/** Cuts and bit flips at fixed random places: each ends in facts or in a `FormatError`, and never in silence. */
test('damaged files are read or refused, and never crash', async () => {
  const bytes = await readFile(h264)
  await using codec = openCodec({ limits: { idleSeconds: 20, memoryBytes: 1024 ** 3 } })
  let seed = 7
  const random = (bound: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return seed % bound
  }
  const outcomes = { read: 0, refused: 0 }
  for (let round = 0; round < 60; round++) {
    const damaged = Buffer.from(round % 3 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes)
    const reach = round % 3 === 1 ? damaged.length : Math.min(damaged.length, 1500)
    for (let flips = round % 3 === 0 ? 0 : 1 + random(8); flips > 0; flips--) damaged[random(reach)] = random(256)
    try {
      await using video = await openVideo(createByteSource(damaged))
      const frames = { startFrame: 0, endFrame: Math.min(10, video.facts.frameCount) }
      for await (const picture of codec.decode({ video, frames })) expect(picture.data.length).toBeGreaterThan(0)
      outcomes.read++
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError)
      outcomes.refused++
    }
  }
  expect(outcomes.read).toBeGreaterThan(0)
  expect(outcomes.refused).toBeGreaterThan(20)
}, 180_000)

test('the index read here says of every packet what mediabunny says', async () => {
  const golden = join(import.meta.dirname, '../../../test/golden')
  const names = readdirSync(golden, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mp4'))
  let readCount = 0
  for (const path of [h264, ...names.map((name) => join(golden, name))]) {
    await using source = await openFile(path)
    const table = await findSampleTable(source, path).catch(() => undefined)
    if (!table?.timing) continue
    using input = new Input({ source: new FilePathSource(path), formats: [MP4] })
    const track = await input.getPrimaryVideoTrack()
    if (!track) throw new Error(`${path} has no video`)
    const sink = new EncodedPacketSink(track)
    const packets = await Array.fromAsync(sink.packets(undefined, undefined, { metadataOnly: true }))
    expect([...table.timing.seconds], path).toEqual(packets.map(({ timestamp }) => timestamp))
    expect([...table.timing.keys], path).toEqual(packets.map(({ type }) => (type === 'key' ? 1 : 0)))
    expect([...table.sizes], path).toEqual(packets.map(({ byteLength }) => byteLength))
    readCount++
  }
  expect(readCount).toBeGreaterThan(30)
})

describe('recorded by lerobot', () => {
  const files = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mp4'))

  test('every recorded file lies on its grid and survives a copy packet by packet', async () => {
    expect(files.length).toBeGreaterThan(10)
    for (const file of files) {
      await using source = await openFile(join(fixtures, file))
      await using video = await openVideo(source, { name: file })
      const { frameCount, fps, decoderConfig, keyframes } = video.facts
      expect(video.measureGridError(fps), file).toBeLessThan(1e-6)
      const path = join(folder, 'copy.mp4')
      const writer = createMp4Writer({ path, fps })
      writer.append(video, 0, frameCount)
      await writer.finish()
      await verifyVideo(path, { frameCount, fps, decoderConfig, keyframes: [...keyframes] })
      await using copySource = await openFile(path)
      await using copy = await openVideo(copySource)
      expect(await hashPackets(copy, 0, frameCount)).toEqual(await hashPackets(video, 0, frameCount))
    }
  })
})
