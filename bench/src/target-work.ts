import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FilePool } from '../../formats/src/bytes.ts'
import { openCodec } from '../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../formats/src/containers/video/video.ts'
import type { PacketFrames } from '../../formats/src/dataset.ts'
import { isCamera } from '../../formats/src/feature.ts'
import { openFolder } from '../../formats/src/file-tree.ts'
import { openDataset } from '../../formats/src/layouts/index.ts'
import { getWriter } from '../../formats/src/writers/index.ts'

/** `node target-work.ts WHAT SOURCE FOLDER`: one target, or the floor below it, in a process of its own; its seconds and peak memory. */
const [what = '', source = '', folder = ''] = process.argv.slice(2)

/** The same bytes, read and written again. */
async function copy(): Promise<void> {
  const memory = Buffer.allocUnsafe(1024 * 1024)
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const to = join(folder, path.slice(source.length))
    await mkdir(dirname(to), { recursive: true })
    const [from, into] = [await open(path, 'r'), await open(to, 'w')]
    for (;;) {
      const { bytesRead } = await from.read(memory, 0, memory.length)
      if (bytesRead === 0) break
      await into.write(memory, 0, bytesRead)
    }
    await from.close()
    await into.close()
  }
}

/** Every frame of every camera by FFmpeg alone: pixels, or JPEG. */
async function decode(form: 'decode' | 'render'): Promise<void> {
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
      for await (const _ of codec[form]({ video, frames }));
    }
    for (const video of videos.values()) await video.close()
  }
  await Promise.all(dataset.features.filter(isCamera).map(({ name }) => goThrough(name)))
}

async function write(): Promise<void> {
  await using dataset = await openDataset(await openFolder(source))
  await getWriter(what).write(dataset, folder)
}

const begun = performance.now()
if (what === 'copy') await copy()
else if (what === 'decode' || what === 'render') await decode(what)
else await write()
const seconds = (performance.now() - begun) / 1000
console.log(JSON.stringify({ seconds, peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024) }))
