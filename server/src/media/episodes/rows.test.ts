import type { Block } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { readArrowColumn } from '../../../../formats/test/arrow-table.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishFolder } from '../../../test/published-dataset.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'
import { planBuckets } from '../decimation.ts'
import { createSeriesCollector } from './series.ts'

const fixtures = getFixture('lerobot')

let program: TestProgram
let bearer: string
let datasets: Record<'cameras' | 'files' | 'images', string>

const get = (dataset: keyof typeof datasets, episode: number, query = '') =>
  program.call('GET', `/api/v1/catalog/datasets/${datasets[dataset]}/episodes/${episode}/rows${query}`, { bearer })

/** The same numbers by the way that imports take. */
async function readDirectly(name: string, episode: number, column: string): Promise<number[]> {
  await using dataset = await openDataset(await openFolder(`${fixtures}/${name}`))
  const values: number[] = []
  for await (const block of dataset.getEpisode(episode).readBlocks({ columns: [column] }) as AsyncIterable<Block>)
    values.push(...Array.from(block.columns.get(column) as Float32Array, Number))
  return values
}

describe('rows of an episode', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { context } = program
    const user = await program.addUser('rows@example.org')
    bearer = await program.signIn(user)
    const org = await createOrg(context.db, 'operator', { slug: 'rows-lab', name: 'Rows', adminUserId: user.id })
    const project = await createProject(context.db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    const publish = async (name: string) =>
      (
        await publishFolder(context, `${fixtures}/${name}`, {
          orgId: org.id,
          projectId: project.id,
          slug: name.replace('.', '-'),
        })
      ).datasetId
    datasets = {
      cameras: await publish('recorded-v3.0-two-cameras'),
      files: await publish('recorded-v3.0-many-files'),
      images: await publish('recorded-v3.0-images'),
    }
  }, 180_000)
  afterAll(() => program.close())

  test('are those of the data files, in every episode of every file', async () => {
    for (let episode = 0; episode < 8; episode++) {
      const { body, status } = await get('files', episode, '?columns=action')
      expect(status).toBe(200)
      const direct = await readDirectly('recorded-v3.0-many-files', episode, 'action')
      const [action] = body.item.series
      const width = action.shape[0]
      const rowMajor = body.item.frame_index.flatMap((_: number, row: number) =>
        action.values.map((dimension: number[]) => Math.fround(dimension[row] ?? Number.NaN)),
      )
      expect(rowMajor).toEqual(direct)
      expect(action.values).toHaveLength(width)
      expect(body.item).toMatchObject({ episode_index: episode, is_decimated: false, fps: 30 })
      expect(body.item.timestamp[1]).toBeCloseTo(1 / 30, 5)
    }
  })

  test('decimated they keep the smallest and largest value of each bucket', async () => {
    const direct = await readDirectly('recorded-v3.0-two-cameras', 2, 'observation.state')
    const { item } = (await get('cameras', 2, '?columns=observation.state&points=11')).body
    expect(item.is_decimated).toBe(true)
    expect(item.frame_index).toHaveLength(10)
    const width = item.series[0].shape[0]
    for (let bucket = 0; bucket < 5; bucket++) {
      const [from, to] = [item.frame_index[bucket * 2], item.frame_index[bucket * 2 + 1]]
      for (let dimension = 0; dimension < width; dimension++) {
        const values = Array.from(
          { length: to - from + 1 },
          (_, row) => direct[(from + row) * width + dimension] as number,
        )
        const pair = item.series[0].values[dimension].slice(bucket * 2, bucket * 2 + 2).map(Math.fround)
        expect(pair.toSorted((a: number, b: number) => a - b)).toEqual([Math.min(...values), Math.max(...values)])
        expect(values.indexOf(pair[0]) <= values.lastIndexOf(pair[1])).toBe(true)
      }
    }
    expect(item.frame_index.at(-1)).toBe(item.length_frames - 1)
  })

  test('a range of frames, text, nested values and what is not a number', async () => {
    const { body } = await get('images', 1, '?start_frame=3&end_frame=6')
    expect(body.item.frame_index).toEqual([3, 4, 5])
    const dtypes = body.item.series.map(({ dtype }: { dtype: string }) => dtype)
    expect(dtypes).toContain('string')
    expect(dtypes).toContain('int64')
    const nested = body.item.series.find(({ shape }: { shape: number[] }) => shape.length === 2)
    expect(nested.values).toHaveLength(6)
    const collector = createSeriesCollector(
      [{ kind: 'column', name: 'x', dtype: 'float32', shape: [1], names: null }],
      { startFrame: 0, endFrame: 4 },
      4,
      10,
    )
    const values = Float32Array.of(Number.NaN, 1.1, Number.POSITIVE_INFINITY, -2)
    collector.take({ startFrame: 0, rowCount: 4, timestamps: Float64Array.of(0, 0.1, 0.2, 0.3), columns: [values] })
    expect([...(collector.finish().series[0]?.values ?? [])]).toEqual([[null, 1.1, null, -2]])
    expect(planBuckets(0, 20_001, 20_000)?.count).toBe(10_000)
  })

  test('as CSV and as Arrow they are whole', async () => {
    const csv = await get('cameras', 0, '?columns=action,next.success&format=csv')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = csv.body.trim().split('\r\n')
    const json = (await get('cameras', 0, '?columns=action,next.success')).body.item
    expect(lines).toHaveLength(json.length_frames + 1)
    expect(lines[0].split(',').slice(0, 3)).toEqual([
      'frame_index',
      'timestamp',
      `action.${json.series[0].names?.[0] ?? 0}`,
    ])
    const row = json.series[0].values.map((dimension: number[]) => String(dimension[7]))
    expect(lines[8].split(',').slice(2)).toEqual([...row, 'false'])

    const url = `${program.url}/api/v1/catalog/datasets/${datasets.cameras}/episodes/0/rows?columns=action&format=arrow`
    const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })
    const action = readArrowColumn(new Uint8Array(await response.arrayBuffer()), 'action')
    expect(action.rowCount).toBe(json.length_frames)
    expect(action.at(7)).toEqual(json.series[0].values.map((dimension: number[]) => Math.fround(dimension[7] ?? 0)))
  })

  test('what does not exist is refused at its place', async () => {
    const place = async (episode: number, query: string) => {
      const { status, body } = await get('cameras', episode, query)
      return [status, body.detail[0].loc]
    }
    expect((await get('cameras', 6)).status).toBe(404)
    expect(await place(0, '?columns=nothing')).toEqual([422, ['query', 'columns']])
    expect(await place(0, '?start_frame=5&end_frame=5')).toEqual([422, ['query', 'start_frame']])
    expect(await place(0, '?points=1')).toEqual([422, ['query', 'points']])
    expect(await place(0, '?points=20001')).toEqual([422, ['query', 'points']])
    const path = `/api/v1/catalog/datasets/${datasets.cameras}/episodes/0/rows`
    expect((await program.call('GET', path)).status).toBe(404)
    const etag = (await get('cameras', 0)).headers.get('etag') ?? ''
    const again = await program.call('GET', path, { bearer, headers: { 'if-none-match': etag } })
    expect([etag.length > 20, again.status]).toEqual([true, 304])
  })

  test('the pictures of an episode are named by URLs that work without a credential', async () => {
    const path = `/api/v1/catalog/datasets/${datasets.cameras}`
    const { item } = (await program.call('GET', `${path}/episodes/1/media`, { bearer })).body
    expect(item.streams).toHaveLength(2)
    for (const one of item.streams) {
      expect(one.to_sec - one.from_sec).toBeCloseTo(item.duration_sec)
      for (const url of [one.url, one.poster_url, one.sprite_url, one.clip_url])
        expect((await fetch(url)).status).toBe(200)
    }
    const sprite = (await program.call('GET', `${path}/episode-sprite?limit=3`, { bearer })).body.item
    expect((await fetch(sprite.url)).status).toBe(200)
    expect([sprite.tile_width, sprite.tile_height]).toEqual([96, 72])
  })
})
