import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { openFile } from '../src/bytes.ts'
import { openCodec } from '../src/containers/codec/codec.ts'
import { decodeImage } from '../src/containers/image.ts'
import { openVideo } from '../src/containers/video/video.ts'
import type { CameraFrames, Dataset, Picture } from '../src/dataset.ts'
import { isCamera } from '../src/feature.ts'
import { openFolder } from '../src/file-tree.ts'
import { type Finding, rules } from '../src/finding.ts'
import { openDataset } from '../src/layouts/index.ts'
import { write } from '../src/writers/lerobot-v3/writer.ts'

const golden = fileURLToPath(new URL('./golden/lerobot', import.meta.url))

interface Expected {
  refusal?: string
  episodes: number[]
  lengths: number[]
  tasks: string[][]
  /** Absent: all are `train`. */
  splits?: string[][]
  features: string[]
  rules: Record<string, number>
  /** Rules that show only while writing. */
  written?: Record<string, number>
}

const codec = openCodec()
afterAll(() => codec.close())

function countRules(findings: readonly Finding[]): Record<string, number> {
  const groups = Map.groupBy(findings, ({ rule }) => rule)
  return Object.fromEntries([...groups].map(([rule, list]) => [rule, list.length]))
}

async function hashRows(dataset: Dataset, position: number): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of dataset.getEpisode(position).readBlocks()) {
    for (const [name, values] of [...block.columns].sort(([a], [b]) => (a < b ? -1 : 1))) {
      hash.update(name)
      hash.update(
        ArrayBuffer.isView(values)
          ? new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
          : normalize(values),
      )
    }
  }
  return hash.digest('hex')
}

/** Tool calls are structs in some files and JSON text in ours. */
function normalize(values: readonly unknown[]): string {
  return JSON.stringify(values)
    .replaceAll(/\\+"/g, '"')
    .replaceAll(/"\{|\}"/g, (edge) => (edge === '"{' ? '{' : '}'))
}

async function* decode(frames: CameraFrames): AsyncGenerator<Pick<Picture, 'width' | 'height' | 'channels' | 'data'>> {
  if (frames.kind === 'images') for await (const { bytes } of frames.read()) yield await decodeImage(bytes)
  if (frames.kind !== 'packets') return
  await using source = await openFile(frames.file)
  await using video = await openVideo(source, { name: frames.file })
  yield* codec.decode({
    video,
    frames: { startFrame: frames.startFrame, endFrame: frames.startFrame + frames.frameCount },
  })
}

/** The left half is as bright as the frame number, the right half as the episode (make_lerobot.py). */
async function readNumbers(frames: CameraFrames): Promise<[frame: number, episode: number][]> {
  const numbers: [number, number][] = []
  for await (const { width, height, channels, data } of decode(frames)) {
    const brightness = (x: number) => data[(Math.floor(height / 2) * width + x) * channels] ?? 0
    numbers.push([
      Math.round((brightness(width / 4) - 20) / 20) + 0,
      Math.round((brightness((3 * width) / 4) - 20) / 40) + 0,
    ])
  }
  return numbers
}

/** The code of the LeRobot readers and writer. */
function listSources(): string[] {
  const folders = ['layouts', 'writers'].map((folder) => fileURLToPath(new URL(`../src/${folder}/`, import.meta.url)))
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => ({ name, path: join(folder, name) })))
  return files.filter(({ name }) => /^lerobot.*(?<!test)\.ts$/.test(name)).map(({ path }) => readFileSync(path, 'utf8'))
}

describe('golden LeRobot datasets', () => {
  for (const name of readdirSync(golden)) {
    const path = join(golden, name)
    const expected = JSON.parse(readFileSync(join(path, 'expected.json'), 'utf8')) as Expected

    test(name, async () => {
      const opening = openDataset(await openFolder(path))
      if (expected.refusal)
        return expect(opening).rejects.toMatchObject({ code: expected.refusal, message: expect.stringMatching(/\.$/) })
      await using source = await opening
      expect(countRules(source.findings)).toEqual(expected.rules)
      expect(source.features.map((feature) => feature.name)).toEqual(expected.features)
      const folder = await mkdtemp(join(tmpdir(), 'golden-'))
      try {
        const { intact: _, ...changed } = source
        const report = await write(changed, folder)
        await using written = await openDataset(await openFolder(folder))
        const own = report.findings.slice(source.findings.length)
        expect(countRules(own)).toEqual(expected.written ?? {})
        for (const dataset of [source, written]) {
          const episodes = expected.episodes.map((_, position) => dataset.getEpisode(position))
          expect(dataset.episodeCount).toBe(expected.episodes.length)
          expect(episodes.map(({ length }) => length)).toEqual(expected.lengths)
          expect(episodes.map(({ tasks }) => tasks)).toEqual(expected.tasks)
          expect(episodes.map(({ splits }) => splits)).toEqual(
            expected.splits ?? expected.episodes.map(() => ['train']),
          )
          if (dataset === source) expect(episodes.map(({ sourceIndex }) => sourceIndex)).toEqual(expected.episodes)
          for (const [position, episode] of episodes.entries()) {
            expect(await hashRows(dataset, position)).toBe(await hashRows(source, position))
            for (const camera of dataset.features.filter(isCamera).filter(({ depth }) => !depth)) {
              const numbers = await readNumbers(await episode.openCamera(camera.name))
              expect(numbers).toEqual(
                Array.from({ length: episode.length }, (_, frame) => [frame, expected.episodes[position]]),
              )
            }
          }
        }
        const known = ['array-feature', 'language-present', 'metadata-parquet-foreign', 'names-nested']
        expect(written.findings.filter(({ rule }) => !known.includes(rule))).toEqual([])
      } finally {
        await rm(folder, { recursive: true })
      }
    })
  }

  test('a case exists for every rule that a LeRobot reader can find', () => {
    const cases = readdirSync(golden).map(
      (name) => JSON.parse(readFileSync(join(golden, name, 'expected.json'), 'utf8')) as Expected,
    )
    const covered = new Set(
      cases.flatMap((entry) => [...Object.keys(entry.rules ?? {}), ...Object.keys(entry.written ?? {})]),
    )
    const elsewhere = ['episode-empty', 'video-size-differs', 'video-sizes-mixed', 'picture-padded', 'video-encoded']
    const mentioned = listSources().flatMap((text) => Object.keys(rules).filter((rule) => text.includes(`'${rule}'`)))
    expect([...new Set(mentioned)].filter((rule) => !covered.has(rule) && !elsewhere.includes(rule))).toEqual([])
  })
})
