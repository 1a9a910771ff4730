import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress } from 'node:zlib'
import { FilePool } from '../../../formats/src/bytes.ts'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import type { PacketFrames } from '../../../formats/src/dataset.ts'
import { isCamera } from '../../../formats/src/feature.ts'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { getWriter } from '../../../formats/src/writers/index.ts'
import { readTargetOptions } from '../../../formats/src/writers/target-options.ts'

/**
 * `node target-work.ts WHAT SOURCE FOLDER [SETTINGS [SMALL]]`: one target, or the floor below it, in a process of its own; its seconds,
 * those of the processor in this process, and peak memory. The same is done with the dataset SMALL first, so that loading code, which
 * is half a second once and the same for any size, is no part of what is measured.
 */
const [what = '', measured = '', folder = '', settings = '{}', small] = process.argv.slice(2)
const picturesAtOnce = 8
const compress = promisify(zstdCompress)

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

/** Every frame of every camera by FFmpeg alone: pixels, pixels that zlib's zstd compresses beside it, or JPEG. */
async function decode(form: 'decode' | 'decode+zstd' | 'render', source: string): Promise<void> {
  await using dataset = await openDataset(await openFolder(source))
  await using codec = openCodec()
  await using pool = new FilePool()
  const goThrough = async (camera: string) => {
    const videos = new Map<string, Awaited<ReturnType<typeof openVideo>>>()
    for (let position = 0; position < dataset.episodeCount; position++) {
      const { file, startFrame, frameCount } = (await dataset.getEpisode(position).openCamera(camera)) as PacketFrames
      const video = videos.get(file) ?? (await openVideo(pool.createSource(file)))
      videos.set(file, video)
      const frames = { startFrame, endFrame: startFrame + frameCount }
      if (form === 'render') for await (const _ of codec.render({ video, frames }));
      else await decodeFrames(codec.decode({ video, frames }), form === 'decode+zstd')
    }
    for (const video of videos.values()) await video.close()
  }
  await Promise.all(dataset.features.filter(isCamera).map(({ name }) => goThrough(name)))
}

async function decodeFrames(frames: AsyncIterable<{ data: Uint8Array | Uint16Array }>, isCompressed: boolean) {
  const waiting: Promise<unknown>[] = []
  for await (const { data } of frames) {
    if (!isCompressed) continue
    waiting.push(compress(data, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }))
    if (waiting.length >= picturesAtOnce) await waiting.shift()
  }
  await Promise.all(waiting)
}

async function write(source: string, to: string): Promise<void> {
  await using dataset = await openDataset(await openFolder(source))
  const writer = getWriter(what)
  await writer.write(dataset, to, { settings: readTargetOptions(writer, JSON.parse(settings)) })
}

async function work(source: string, to: string): Promise<void> {
  if (what === 'copy' || what === 'copy+crc32') await copy(source, to, what === 'copy+crc32')
  else if (what === 'decode' || what === 'decode+zstd' || what === 'render') await decode(what, source)
  else await write(source, to)
}

if (small) {
  await work(small, `${folder}-small`)
  await rm(`${folder}-small`, { recursive: true, force: true })
}
const [begun, before] = [performance.now(), process.cpuUsage()]
await work(measured, folder)
const seconds = (performance.now() - begun) / 1000
const { user, system } = process.cpuUsage(before)
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ seconds, processorSeconds: (user + system) / 1e6, peakMegabytes }))
