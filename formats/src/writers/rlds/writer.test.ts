import { createHash } from 'node:crypto'
import { mkdtemp, open, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import { probeImage } from '../../containers/image.ts'
import { updateCrc32c } from '../../containers/tfrecord.ts'
import type { Dataset, Values } from '../../dataset.ts'
import type { ColumnFeature, Feature } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import type { JsonObject } from '../../json.ts'
import { openDataset } from '../../layouts/index.ts'
import { readTargetOptions } from '../target-options.ts'
import { rlds } from './target.ts'

const twoCameras = getFixture('lerobot/recorded-v3.0-two-cameras')

async function convert(source: Dataset, given: JsonObject = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), 'rlds-')), 'out')
  const report = await rlds.write(source, folder, { settings: readTargetOptions(rlds, given) })
  return { folder, report }
}

interface Field {
  readonly number: number
  readonly value: bigint | Buffer
}

/** The fields of a message of Protocol Buffers. */
function readFields(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const readVarint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(readVarint())
    const value = readVarint()
    if ((tag & 7) === 0) fields.push({ number: tag >> 3, value })
    else {
      fields.push({ number: tag >> 3, value: bytes.subarray(at, at + Number(value)) })
      at += Number(value)
    }
  }
  return fields
}

/** Lists of an Example, by key: the bytes of each entry, or the one packed field. */
function readExample(record: Buffer): Map<string, Buffer[]> {
  const list = (bytes: Buffer | undefined): Buffer[] =>
    readFields(bytes ?? Buffer.alloc(0)).map(({ value }) => value as Buffer)
  const [features] = list(record)
  return new Map(
    list(features).map((entry) => {
      const [key, feature] = list(entry)
      return [String(key), list(list(feature)[0])]
    }),
  )
}

async function readRecords(path: string): Promise<Buffer[]> {
  const bytes = await readFile(path)
  const records: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = Number(bytes.readBigUInt64LE(at))
    records.push(bytes.subarray(at + 12, at + 12 + size))
    at += size + 16
  }
  return records
}

describe('RLDS', () => {
  test('the checksum is the one of its standard, in pieces too', () => {
    const digits = Buffer.from('123456789')
    expect(updateCrc32c(0, digits)).toBe(0xe306_9283)
    expect(updateCrc32c(updateCrc32c(0, digits.subarray(0, 2)), digits.subarray(2))).toBe(0xe306_9283)
    expect(updateCrc32c(0, Buffer.alloc(32))).toBe(0x8a91_36aa)
  })

  test('a record per episode with its pictures; the same bytes each time; a byte that changed since is refused', async () => {
    await using source = await openDataset(await openFolder(twoCameras))
    const [{ folder, report }, again] = [await convert(source), await convert(source)]
    expect(report).toMatchObject({ episodeCount: 6, frameCount: 313, losses: [] })
    const hash = async (from: string, path: string) =>
      createHash('sha256')
        .update(await readFile(join(from, path)))
        .digest('hex')
    for (const { path } of report.files) expect(await hash(folder, path), path).toBe(await hash(again.folder, path))
    expect((await readdir(folder, { recursive: true })).filter((path) => path.includes('.work'))).toEqual([])
    const path = join(folder, 'nmp_dataset/1.0.0/nmp_dataset-train.tfrecord-00000-of-00001')
    const records = await readRecords(path)
    expect(records).toHaveLength(6)
    const lists = readExample(records[1] as Buffer)
    const { length } = source.getEpisode(1)
    expect(lists.get('steps/observation/top')).toHaveLength(length)
    const probed = await probeImage(lists.get('steps/observation/top')?.[0] as Buffer)
    expect(probed).toMatchObject({ format: 'jpeg', width: 192, height: 144 })
    const expected = { episodeCount: 6, frameCount: 313 }
    await rlds.verify?.(folder, expected)
    await expect(rlds.verify?.(folder, { ...expected, episodeCount: 5 })).rejects.toThrow('6 episodes instead of 5')
    const file = await open(path, 'r+')
    await file.write(Buffer.of(0x55), 0, 1, (records[0]?.length ?? 0) - 5)
    await file.close()
    await expect(rlds.verify?.(folder, expected)).rejects.toThrow('the checksum of record 0')
  }, 30_000)

  test('every kind of number, texts, splits; an episode that cannot be read leaves no record behind', async () => {
    const of = (name: string, dtype: ColumnFeature['dtype']): ColumnFeature => ({
      ...{ kind: 'column', name, dtype, shape: [1], names: null },
    })
    const features: Feature[] = [
      ...[of('action', 'float32'), of('observation.wide', 'float64'), of('next.done', 'bool')],
      ...[of('count', 'int64'), of('note', 'string'), of('language_events', 'language')],
    ]
    const make = (length: number, splits: readonly string[]) => ({
      ...{ length, tasks: ['pick'], splits },
      columns: new Map<string, Values>([
        ['action', Float32Array.from({ length }, (_, frame) => (frame === 1 ? Number.NaN : frame / 3))],
        ['observation.wide', Float64Array.from({ length }, (_, frame) => frame / 3)],
        ['next.done', Uint8Array.from({ length }, (_, frame) => Number(frame === 2))],
        ['count', BigInt64Array.from({ length }, (_, frame) => -BigInt(frame))],
        ['note', Array.from({ length }, (_, frame) => `ä${frame}`)],
        ['language_events', Array.from({ length }, () => [{ role: 'user', content: 'stop' }])],
      ]),
    })
    const episodes = [make(3, ['train']), make(0, ['train']), make(4, ['train', 'small']), make(5, [])]
    const { folder, report } = await convert(createMemoryDataset(features, episodes, 2), { name: 'mine' })
    expect(report.losses).toEqual([
      {
        feature: 'split small',
        reason: 'An episode is in one split of TFDS; those that are in several are in the first of them.',
      },
    ])
    expect(report.findings).toMatchObject([{ rule: 'episode-file-unreadable', episode: 1 }])
    const info = JSON.parse(await readFile(join(folder, 'mine/1.0.0/dataset_info.json'), 'utf8'))
    expect(info.splits).toMatchObject([
      { name: 'train', shardLengths: ['2'] },
      { name: 'rest', shardLengths: ['1'] },
    ])
    const [record] = await readRecords(join(folder, 'mine/1.0.0/mine-train.tfrecord-00000-of-00001'))
    const lists = readExample(record as Buffer)
    expect(lists.get('steps/action')?.[0]?.readFloatLE(4)).toBeNaN()
    expect(lists.get('steps/action')?.[0]?.readFloatLE(8)).toBe(Math.fround(2 / 3))
    expect(lists.get('steps/observation/wide')?.[2]?.readDoubleLE(0)).toBe(2 / 3)
    expect([...(lists.get('steps/is_terminal')?.[0] ?? [])]).toEqual([0, 0, 1])
    // -1 and -2 as the ten bytes of 64 bits.
    expect(lists.get('steps/count')?.[0]?.toString('hex')).toBe('00ffffffffffffffffff01feffffffffffffffff01')
    expect(lists.get('steps/note')?.map(String)).toEqual(['ä0', 'ä1', 'ä2'])
    expect(lists.get('steps/language_events')?.[0]?.toString()).toContain('"stop"')
    expect(lists.get('steps/language_instruction')?.map(String)).toEqual(['pick', 'pick', 'pick'])
  })

  test('a name that TensorFlow Datasets does not take is refused', async () => {
    const dataset = createMemoryDataset([], [{ length: 1, tasks: [''], columns: new Map() }])
    await expect(convert(dataset, { name: 'My Set' })).rejects.toThrow('must be lower-case letters')
  })
})
