import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openFile } from '../../../formats/src/bytes.ts'
import { runChecks } from '../../../formats/src/checks/run-checks.ts'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { writeV2 } from '../../../formats/src/writers/lerobot-v2/writer.ts'
import { makeLabelledSet } from '../../../formats/test/labelled-set.ts'
import { openSignalSet } from '../../../formats/test/signal-set.ts'
import { makeV21 } from '../formats/formats-sample.ts'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const signal = new AbortController().signal
const mostShare = 0.15
const leastSpeed = 0.7
const mostGrowth = 1.3

/** What looking costs: beside an import, against decoding alone, and in memory. */
export const benchChecks = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-checks-'))
  try {
    const [few, many] = [join(folder, 'few'), join(folder, 'many')]
    await writeNumbers(few, 120)
    await writeNumbers(many, 1200)
    const filmed = join(folder, 'filmed')
    await makeV21(filmed, { episodes: 12, length: 150, width: 640, height: 480 })
    return [
      await measureShare('without video', few, folder),
      await measureShare('without video', many, folder),
      await measureShare('with one camera of 640x480', filmed, folder),
      await measurePictures(filmed),
      await measureMemory(),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Signals of two arms, some twenty seconds an episode. What V8 compiles weighs on few of them, and hardly on the hours that people import. */
async function writeNumbers(folder: string, episodes: number): Promise<void> {
  const labelled = makeLabelledSet({
    ...{ seed: 7, episodes, fps: 30, seconds: 20, space: 'two-arms', operator: 'person', gripper: 'opening' },
    ...{ noise: 0.02, bad: {} },
  })
  const told = { ...labelled, episodes: labelled.episodes.map((episode) => ({ ...episode, task: 'Move it.' })) }
  await writeV2(openSignalSet(told), folder, {})
}

/**
 * By the time that processors worked, whatever else the machine does. Processes of their own, as an import is one: what V8 compiles for
 * the rules is part of what they cost. They look while the read model is built, so that is done with and without them; the least of
 * three is what each takes.
 */
async function measureShare(what: string, source: string, folder: string): Promise<BenchRow> {
  const entry = join(import.meta.dirname, 'checks-share.ts')
  const preload = join(import.meta.dirname, '../../../require-node-24.mjs')
  const least = { import: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY, watched: Number.POSITIVE_INFINITY }
  let counts = ''
  for (let time = 0; time < 3; time++) {
    const made = await mkdtemp(join(folder, 'import-'))
    await run('cp', ['-r', source, join(made, 'source')])
    for (const part of ['import', 'plain', 'watched'] as const) {
      const { stdout } = await run(process.execPath, ['--import', preload, entry, part, made])
      const told: { seconds: number; counts: string } = JSON.parse(stdout)
      least[part] = Math.min(least[part], told.seconds)
      counts = told.counts
    }
    await rm(made, { recursive: true })
  }
  const checking = least.watched - least.plain
  const without = least.import - checking
  const share = checking / without
  return {
    name: `What the rules of signals, motion and sets add to an import of LeRobot v2.1 ${what}: ${counts}`,
    ours: `${checking.toFixed(2)} s of processor time`,
    peer: `${without.toFixed(2)} s, the import without them`,
    ratio: share,
    goal: `at most ${mostShare}`,
    met: share <= mostShare,
  }
}

/** The decoder's own speed: every frame is decoded, and next to nothing of it crosses over from its process. */
async function measurePictures(source: string): Promise<BenchRow> {
  await using dataset = await openDataset(await openFolder(source))
  const transform = { resize: { width: 16, height: 12, mode: 'stretch' } } as const
  const decodeAll = async (): Promise<number> => {
    await using codec = openCodec({ signal })
    const began = performance.now()
    for (let position = 0; position < dataset.episodeCount; position++) {
      const frames = await dataset.getEpisode(position).openCamera('observation.images.front')
      if (frames.kind !== 'packets') throw new Error('the sample has no video')
      await using bytes = await openFile(frames.file)
      await using video = await openVideo(bytes)
      for await (const _ of codec.decode({ video, transform, signal }));
    }
    return performance.now() - began
  }
  const check = async (pictures: boolean): Promise<number> => {
    const began = performance.now()
    await runChecks(dataset, { pictures, opensCameras: false })
    return performance.now() - began
  }
  const decoding = await decodeAll()
  const looking = (await check(true)) - (await check(false))
  const speed = decoding / looking
  const perSecond = (ms: number): string => `${Math.round((dataset.frameCount / ms) * 1000)} frames a second`
  return {
    name: `Rules of pictures on ${dataset.frameCount} frames of 640x480, against decoding them and nothing more`,
    ours: perSecond(looking),
    peer: perSecond(decoding),
    ratio: speed,
    goal: `at least ${leastSpeed}`,
    met: speed >= leastSpeed,
  }
}

/** Both look at as many episodes: V8 keeps more room for what is short-lived the longer it works, whatever is held. */
async function measureMemory(): Promise<BenchRow> {
  const entry = join(import.meta.dirname, 'checks-memory.ts')
  const preload = join(import.meta.dirname, '../../../require-node-24.mjs')
  const peak = async (episodes: number, times: number): Promise<number> => {
    const { stdout } = await run(process.execPath, ['--import', preload, entry, String(episodes), String(times)])
    return Number(stdout)
  }
  const [few, many] = [await peak(10, 100), await peak(1000, 1)]
  return {
    name: 'Peak memory of checking 1,000 episodes of 300 frames and 14 dimensions, against 10 of them checked 100 times',
    ours: `${Math.round(many / 1e6)} MB`,
    peer: `${Math.round(few / 1e6)} MB`,
    ratio: many / few,
    goal: `at most ${mostGrowth}`,
    met: many / few <= mostGrowth,
  }
}
