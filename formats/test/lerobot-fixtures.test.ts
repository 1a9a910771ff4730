import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { getFixture, listCampaignSets, listFixtures } from '../../fixtures/fixture.ts'
import { openFile } from '../src/bytes.ts'
import { openCodec } from '../src/containers/codec/codec.ts'
import { openVideo } from '../src/containers/video/video.ts'
import type { Dataset, Episode } from '../src/dataset.ts'
import { FormatError } from '../src/errors.ts'
import { isCamera } from '../src/feature.ts'
import { openFolder } from '../src/file-tree.ts'
import { openDataset } from '../src/layouts/index.ts'
import { apply as selectEpisodes } from '../src/steps/select-episodes.ts'
import { write } from '../src/writers/lerobot-v3/writer.ts'
import { readBarCodes } from './bar-code.ts'

const isSet = ({ name }: { name: string }) => !name.endsWith('.json')
const sets = listFixtures('lerobot').filter(isSet)
const hasBarCodes = ({ name }: { name: string }) =>
  name.startsWith('recorded-') && !/^recorded-v3\.0-(can|depth)/.test(name)
const codec = openCodec()
afterAll(() => codec.close())

const open = async (path: string) => openDataset(await openFolder(path))

/** As if a recipe had changed something: nothing may be copied as a file. */
const forgetFiles = ({ intact: _, ...dataset }: Dataset): Dataset => dataset

async function readNumbers(episode: Episode): Promise<Record<string, string>> {
  const hashes = new Map<string, ReturnType<typeof createHash>>()
  for await (const block of episode.readBlocks()) {
    for (const [name, values] of block.columns) {
      const hash = hashes.get(name) ?? createHash('sha256')
      hashes.set(name, hash)
      if (ArrayBuffer.isView(values)) hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
      else hash.update(JSON.stringify(values))
    }
  }
  return Object.fromEntries([...hashes].map(([name, hash]) => [name, hash.digest('hex')]))
}

async function hashPackets(episode: Episode, camera: string): Promise<string> {
  const frames = await episode.openCamera(camera)
  const hash = createHash('sha256')
  if (frames.kind === 'images') for await (const { bytes } of frames.read()) hash.update(bytes)
  if (frames.kind === 'packets') {
    await using source = await openFile(frames.file)
    await using video = await openVideo(source, { name: frames.file })
    for await (const packet of video.readPackets(frames.startFrame, frames.startFrame + frames.frameCount))
      hash.update(packet.data)
  }
  return hash.digest('hex')
}

describe('every LeRobot set', () => {
  for (const { name, path } of [...sets, ...listCampaignSets('lerobot').filter(isSet)]) {
    test(`${name} is a dataset or a clear refusal`, async () => {
      const outcome = await open(path).catch((error: unknown) => error)
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(FormatError)
        expect(outcome.message).toMatch(/\.$/)
        return
      }
      await using dataset = outcome as Dataset
      expect(dataset.episodeCount).toBeGreaterThan(0)
      expect(dataset.findings.filter(({ severity }) => severity === 'error')).toEqual([])
    })
  }
})

describe('read, written and read again', () => {
  for (const { name, path } of sets.filter(hasBarCodes)) {
    for (const way of ['kept', 'rewritten'] as const) {
      test(`${name}, files ${way}: the same numbers, packets and pictures`, async () => {
        const folder = await mkdtemp(join(tmpdir(), 'lerobot-'))
        try {
          await using source = await open(path)
          const report = await write(way === 'kept' ? source : forgetFiles(source), folder)
          expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([])
          await using written = await open(folder)
          expect(written.findings.filter(({ rule }) => rule !== 'array-feature')).toEqual([])
          expect(written.intact?.data, 'what we write is as we would write it').toBeDefined()
          expect([...(written.intact?.videos.keys() ?? [])]).toEqual(
            source.features
              .filter((feature) => isCamera(feature) && feature.storage === 'video')
              .map((feature) => feature.name),
          )
          expect([written.episodeCount, written.frameCount, written.fps]).toEqual([
            source.episodeCount,
            source.frameCount,
            source.fps,
          ])
          expect(written.features.map(({ name: feature, kind }) => [feature, kind])).toEqual(
            source.features.map(({ name: feature, kind }) => [feature, kind]),
          )
          const cameras = source.features.filter(isCamera)
          for (let position = 0; position < source.episodeCount; position++) {
            const [before, after] = [source.getEpisode(position), written.getEpisode(position)]
            expect(after.tasks).toEqual(before.tasks)
            expect(await readNumbers(after)).toEqual(await readNumbers(before))
            for (const [place, camera] of cameras.entries()) {
              expect(await hashPackets(after, camera.name)).toBe(await hashPackets(before, camera.name))
              const codes = await readBarCodes(await after.openCamera(camera.name), codec)
              const expected = Array.from({ length: after.length }, (_, frame) => ({
                frame,
                episode: before.sourceIndex,
                camera: place,
              }))
              expect(codes).toEqual(expected)
            }
          }
        } finally {
          await rm(folder, { recursive: true })
        }
      })
    }
  }

  test('a subset shows its own frames, and carried camera statistics are those of decoding again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lerobot-'))
    await using source = await open(getFixture('lerobot/recorded-v3.0-two-cameras'))
    await write(source, join(folder, 'canonical'))
    await using canonical = await open(join(folder, 'canonical'))
    const subset = selectEpisodes(canonical, { excluded: [0, 3] })
    for (const way of ['carry', 'compute'] as const) await write(subset, join(folder, way), { cameraStatistics: way })
    for (const path of ['meta/stats.json', 'meta/episodes/chunk-000/file-000.parquet', 'meta/nmp-episodes.parquet']) {
      expect(await readFile(join(folder, 'carry', path)), path).toEqual(await readFile(join(folder, 'compute', path)))
    }
    await using written = await open(join(folder, 'carry'))
    for (const [position, episode] of [1, 2, 4, 5].entries()) {
      for (const [camera, { name }] of written.features.filter(isCamera).entries()) {
        const codes = await readBarCodes(await written.getEpisode(position).openCamera(name), codec)
        expect(codes).toEqual(codes.map((_, frame) => ({ frame, episode, camera })))
      }
    }
    await rm(folder, { recursive: true })
  })

  test('the same source gives the same bytes, and a v3 source keeps its own', async () => {
    const path = getFixture('lerobot/recorded-v3.0-many-files')
    const hashes = []
    for (const way of ['kept', 'rewritten', 'kept', 'rewritten']) {
      const folder = await mkdtemp(join(tmpdir(), 'lerobot-'))
      await using source = await open(path)
      const { files } = await write(way === 'kept' ? source : forgetFiles(source), folder)
      const contents = await Promise.all(
        files.map(async (file) => [file.path, (await readFile(join(folder, file.path))).toString('base64')] as const),
      )
      hashes.push(Object.fromEntries(contents))
      if (way === 'kept') {
        for (const [entry, bytes] of contents.filter(([name]) => /^(data|videos)/.test(name))) {
          const original = source.intact?.data?.files ?? []
          const place = [...original, ...[...(source.intact?.videos.values() ?? [])].flat()].map((file) => file.path)
          const candidates = await Promise.all(place.map(async (file) => (await readFile(file)).toString('base64')))
          expect(candidates, entry).toContain(bytes)
        }
      }
      await rm(folder, { recursive: true })
    }
    expect(hashes[2]).toEqual(hashes[0])
    expect(hashes[3]).toEqual(hashes[1])
  })
})
