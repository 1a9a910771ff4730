import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateEpisodes, generateModel } from '../../../test/generated-dataset.ts'
import { ReadModelCache } from './cache.ts'
import { encodeSplits, encodeTexts } from './canonical.ts'
import { decodeEpisodes, encodeEpisodes } from './format.ts'
import { describeLengths, orderByLength } from './lengths.ts'
import { episodeSorts, ReadModel } from './model.ts'
import { foldTexts, markTexts } from './task-search.ts'

const tasks = ['Pick up the can', 'pick up the CUP', 'rest', '12']

const models = fc
  .array(
    fc.record({
      length: fc.integer({ min: 1, max: 6 }),
      tasks: fc.uniqueArray(fc.nat(tasks.length - 1)),
      splits: fc.subarray(['train', 'val', '20_percent']),
    }),
    { maxLength: 60 },
  )
  .map((episodes) => {
    const generated = generateModel(
      episodes.map(({ length }) => length),
      (index) => episodes[index]?.tasks ?? [],
      tasks,
    )
    const splits = encodeSplits(episodes.length, (index) => episodes[index]?.splits ?? [])
    const columns = { ...generated.columns, ...splits.columns }
    const manifest = { ...generated.manifest, split_names: splits.names }
    const bytes = encodeEpisodes(columns)
    return {
      episodes,
      model: new ReadModel(manifest, decodeEpisodes(bytes.buffer as ArrayBuffer, 2), bytes.byteLength),
    }
  })

test('pages of any size, laid together, are every matching episode once, in order, and total says how many', () => {
  const questions = fc.record({
    sort: fc.constantFrom(...episodeSorts),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    q: fc.constantFrom(undefined, 'pick', 'CUP', '12', '3', 'nothing', ' '),
    split: fc.constantFrom(undefined, 'train', 'val', 'nowhere'),
    limit: fc.integer({ min: 1, max: 17 }),
  })
  fc.assert(
    fc.property(models, questions, ({ episodes, model }, { sort, order, q, split, limit }) => {
      const wanted = episodes.flatMap(({ tasks: own, splits }, index) => {
        if (split !== undefined && !splits.includes(split)) return []
        const isWord = own.some((task) => tasks[task]?.toLowerCase().includes((q ?? '').trim().toLowerCase()))
        return q === undefined || isWord || q === String(index) ? [index] : []
      })
      // Those without a task come after every text.
      const textOf = (index: number) => tasks[episodes[index]?.tasks[0] ?? -1] || '\uffff'
      const value = (index: number) =>
        sort === 'task'
          ? tasks.filter((text) => text !== '' && text < textOf(index)).length
          : sort === 'episode_index'
            ? index
            : (episodes[index]?.length ?? 0)
      wanted.sort((a, b) => value(a) - value(b) || a - b)
      if (order === 'desc') wanted.reverse()
      const seen: number[] = []
      for (let offset = 0; offset <= wanted.length; offset += limit) {
        const page = model.listEpisodes({ offset, limit, sort, order, q, split })
        expect(page.total).toBe(wanted.length)
        seen.push(...page.indices)
      }
      expect(seen).toEqual(wanted)
      expect(model.listEpisodes({ offset: wanted.length + 5, limit, sort, order, q, split }).indices).toEqual([])
    }),
  )
})

test('what is written is what is read, episode by episode', () => {
  fc.assert(
    fc.property(models, ({ episodes, model }) => {
      let from = 0
      for (const [index, { length, tasks: own, splits }] of episodes.entries()) {
        const entry = model.getEpisode(index)
        expect(entry.splits).toEqual(splits)
        expect(entry).toMatchObject({ lengthFrames: length, fromIndex: from, toIndex: from + length })
        expect(entry.tasks).toEqual(own.map((task) => tasks[task]))
        expect(entry.videos.get('observation.images.wrist')?.startFrame).toBe((index % 100) * 300)
        from += length
      }
      for (const { name, episodeCount } of model.countSplits())
        expect(episodeCount).toBe(episodes.filter(({ splits }) => splits.includes(name)).length)
    }),
  )
})

test('a read model from before splits were kept has the one split of all that was written then', () => {
  const { manifest, columns } = generateEpisodes(5)
  const model = new ReadModel(manifest, decodeEpisodes(encodeEpisodes(columns).buffer as ArrayBuffer, 2), 100)
  expect(model.getEpisode(3).splits).toEqual(['train'])
  expect(model.countSplits()).toEqual([{ name: 'train', episodeCount: 5 }])
  expect(model.listEpisodes({ offset: 3, limit: 10, split: 'train' })).toEqual({ total: 5, indices: [3, 4] })
})

test('searching texts finds what a plain search of each finds, in any script and case', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'B', 'É', 'é', 'ß', '猫', ' ', '😀'), maxLength: 6 }))
  const questions = fc.string({ unit: fc.constantFrom('A', 'b', 'é', '猫', '😀', ' '), minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(texts, questions, (words, q) => {
      const { taskText, taskTextStarts } = encodeTexts(words)
      const expected = words.map((text) => (text.toLowerCase().includes(q.trim().toLowerCase()) ? 1 : 0))
      expect([...markTexts(foldTexts(taskText, taskTextStarts), q)]).toEqual(expected)
    }),
  )
})

test('every episode is in one bin of the histogram, whatever the lengths', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 500 })
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 240 }), (values, fps) => {
      const frames = Uint32Array.from(values)
      const { histogram } = describeLengths(frames, orderByLength(frames), fps)
      expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
      expect(histogram.length).toBeLessThanOrEqual(55)
      expect(new Set(histogram.map(({ label }) => label)).size).toBe(histogram.length)
    }),
  )
})

test('damage is refused with a sentence, not answered from', () => {
  const { columns } = generateEpisodes(10)
  const bytes = encodeEpisodes(columns)
  const cut = bytes.slice(0, bytes.length - 64).buffer
  expect(() => decodeEpisodes(cut, 2)).toThrow(/cannot be used/)
  expect(() => decodeEpisodes(bytes.buffer as ArrayBuffer, 3)).toThrow(/video_file\.2 is missing/)
  expect(() => decodeEpisodes(new ArrayBuffer(100), 2)).toThrow(/does not start with the expected bytes/)
})

test('the cache loads once for all who ask together, and never holds more than its bound', async () => {
  const { manifest, columns } = generateEpisodes(1000)
  const make = async () => new ReadModel(manifest, columns, 100_000)
  const cache = new ReadModelCache(350_000)
  let loads = 0
  const load = async () => {
    loads++
    await new Promise((resolve) => setTimeout(resolve, 5))
    return make()
  }
  const together = await Promise.all(Array.from({ length: 20 }, () => cache.get('a', load)))
  expect(loads).toBe(1)
  expect(new Set(together).size).toBe(1)
  for (const digest of ['b', 'c', 'd', 'a']) await cache.get(digest, load)
  expect(cache.heldBytes).toBeLessThanOrEqual(350_000)
  expect(loads).toBe(5)
  let [running, most] = [0, 0]
  const slow = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
    return make()
  }
  await Promise.all(['e', 'f', 'g', 'h', 'i'].map((digest) => cache.get(digest, slow)))
  expect(most).toBe(2)
  await expect(cache.get('broken', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  await cache.get('broken', load)
  const small = new ReadModelCache(1000)
  await small.get('a', load)
  expect(small.heldBytes).toBe(0)
})
