import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress } from 'node:zlib'
import { FilePool } from '../../../formats/src/bytes.ts'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import type { PacketFrames, Picture } from '../../../formats/src/dataset.ts'
import { type CameraFeature, isCamera } from '../../../formats/src/feature.ts'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { getWriter } from '../../../formats/src/writers/index.ts'
import { readTargetOptions } from '../../../formats/src/writers/target-options.ts'
import { measureOwnPeakBytes } from '../own-peak.ts'
import { measureTreeSeconds } from '../process-tree.ts'

/**
 * `node target-work.ts WHAT SOURCE FOLDER [SETTINGS [SMALL]]`: one target, or the floor below it, in a process of its own; its seconds,
 * those of the processor in it and its children, and peak memory. The same is done with the dataset SMALL first, so that loading code, which
 * is half a second once and the same for any size, is no part of what is measured.
 */
const [what = '', measured = '', folder = '', settings = '{}', small] = process.argv.slice(2)
const picturesAtOnce = 8
const compress = promisify(zstdCompress)

/** Of the processor, with what the children took, which have ended when a work has. */
const measureOwnSeconds = (): number => measureTreeSeconds(process.pid)

/** The same bytes, read and written again, and their CRC-32 where the format has one. */
async function copy(source: string, to: string, isSummed: boolean): Promise<void> {
  const memory = Buffer.allocUnsafe(1024 * 1024)
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const copied = join(to, path.slice(source.length))
    await mkdir(dirname(copied), { recursive: true })
    const [from, into] = [await open(path, 'r'), await open(copied, 'w')]
    for (;;) {
      const { bytesRead } = await from.read(memory, 0, memory.length)
      if (bytesRead === 0) break
      if (isSummed) crc32(memory.subarray(0, bytesRead))
      await into.write(memory, 0, bytesRead)
    }
    await from.close()
    await into.close()
  }
}

/** Every frame of every camera by FFmpeg alone, in the form that the target writes: to a file of as many bytes, without its format. */
async function decode(form: DecodedFloor, source: string, to: string): Promise<void> {
  await using dataset = await openDataset(await openFolder(source))
  await using codec = openCodec()
  await using pool = new FilePool()
  await using into = await open(to, 'w')
  const append = async (bytes: Uint8Array) => void (await into.write(bytes))
  const goThrough = async (camera: string) => {
    const { width, height } = dataset.features.filter(isCamera).find(({ name }) => name === camera) as CameraFeature
    const memory = new Uint8Array(3 * width * height)
    // What is compressed beside the next is given away.
    const giveMemory = form === 'decode+zstd' ? undefined : () => memory
    const videos = new Map<string, Awaited<ReturnType<typeof openVideo>>>()
    for (let position = 0; position < dataset.episodeCount; position++) {
      const { file, startFrame, frameCount } = (await dataset.getEpisode(position).openCamera(camera)) as PacketFrames
      const video = videos.get(file) ?? (await openVideo(pool.createSource(file)))
      videos.set(file, video)
      const frames = { startFrame, endFrame: startFrame + frameCount }
      if (form === 'render') for await (const { bytes } of codec.render({ video, frames })) await append(bytes)
      else await decodeFrames(codec.decode({ video, frames, giveMemory }), form, append)
    }
    for (const video of videos.values()) await video.close()
  }
  await Promise.all(dataset.features.filter(isCamera).map(({ name }) => goThrough(name)))
}

type DecodedFloor = 'decode' | 'decode twice' | 'decode+zstd' | 'render'
const decodedFloors: readonly string[] = ['decode', 'decode twice', 'decode+zstd', 'render'] satisfies DecodedFloor[]

/** `decode twice`: robomimic has every picture in two places. */
async function decodeFrames(
  frames: AsyncIterable<Picture>,
  form: DecodedFloor,
  append: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const waiting: Promise<Uint8Array>[] = []
  const appendFirst = async () => append((await waiting.shift()) ?? new Uint8Array())
  for await (const { data } of frames) {
    const pixels = data as Uint8Array
    if (form === 'decode+zstd') {
      waiting.push(compress(pixels, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }))
      if (waiting.length >= picturesAtOnce) await appendFirst()
    } else for (let copy = 0; copy < (form === 'decode' ? 1 : 2); copy++) await append(pixels)
  }
  while (waiting.length > 0) await appendFirst()
}

async function write(source: string, to: string): Promise<void> {
  await using dataset = await openDataset(await openFolder(source))
  const writer = getWriter(what)
  await writer.write(dataset, to, { settings: readTargetOptions(writer, JSON.parse(settings)) })
}

async function work(source: string, to: string): Promise<void> {
  if (what === 'copy' || what === 'copy+crc32') await copy(source, to, what === 'copy+crc32')
  else if (decodedFloors.includes(what)) await decode(what as DecodedFloor, source, to)
  else await write(source, to)
}

if (small) {
  await work(small, `${folder}-small`)
  await rm(`${folder}-small`, { recursive: true, force: true })
}
const [begun, before] = [performance.now(), measureOwnSeconds()]
await work(measured, folder)
const seconds = (performance.now() - begun) / 1000
const processorSeconds = measureOwnSeconds() - before
const peakMegabytes = Math.round(measureOwnPeakBytes() / 2 ** 20)
console.log(JSON.stringify({ seconds, processorSeconds, peakMegabytes }))
