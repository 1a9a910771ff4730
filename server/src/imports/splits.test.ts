import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { writeSource } from '../../test/written-source.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import { layOutFiles } from '../storage/local-tree.ts'
import type { ImportJob } from './record.ts'

const golden = fileURLToPath(new URL('../../../formats/test/golden', import.meta.url))
const place = { org: 'ada', project: 'default' }
let program: TestProgram
let bearer: string
let scratch: string

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  scratch = await mkdtemp(join(tmpdir(), 'nmp-splits-test-'))
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await rm(scratch, { recursive: true, force: true })
})

const get = async (path: string) => (await program.call('GET', path, { bearer })).body
const catalog = (job: ImportJob, rest = '') => get(`/api/v1/catalog/datasets/${job.dataset_id}${rest}`)
const importFolder = (slug: string, folder: string) => importFixture(program, bearer, { ...place, slug, folder })
const getReport = async (job: ImportJob) =>
  (await get(`/api/v1/orgs/ada/projects/default/imports/${job.id}/report`)).item

async function importSource(slug: string, source: Parameters<typeof writeSource>[0]) {
  const folder = await writeSource(source)
  try {
    return await importFolder(slug, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function copyGolden(name: string, as: string): Promise<string> {
  const folder = join(scratch, as)
  await cp(join(golden, name), folder, { recursive: true })
  await rm(join(folder, 'expected.json'))
  return folder
}

async function writeSplits(folder: string, splits: object): Promise<void> {
  const path = join(folder, 'meta/info.json')
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), splits }))
}

const listSplits = async (job: ImportJob): Promise<string[][]> =>
  (await catalog(job, '/episodes?limit=200')).item.items.map(({ splits }: { splits: string[] }) => splits)

/** The stored dataset as a folder of its own, with what its info.json says. */
async function takeOut(job: ImportJob) {
  const { db, storage } = program.context
  const folder = join(scratch, job.id)
  await mkdir(folder)
  const files = []
  const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  for await (const file of listRevisionFiles(db, job.revision_id ?? '', id)) files.push(file)
  await layOutFiles(storage, files, folder)
  return { folder, info: JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8')) }
}

describe('splits of a LeRobot source', () => {
  test('are kept by episode, in info.json, manifest, list and report, and come back from an export', async () => {
    const splits = { train: '0:4', val: '4:6' }
    const job = await importSource('named', { lengths: [5, 6, 7, 8, 9, 10], splits })
    const { item: manifest } = await catalog(job)
    expect(manifest.metrics.split_names).toEqual(['train', 'val'])
    expect(manifest.splits).toEqual([
      { name: 'train', episode_count: 4 },
      { name: 'val', episode_count: 2 },
    ])
    const own = [['train'], ['train'], ['train'], ['train'], ['val'], ['val']]
    expect(manifest.episode_page.items.map((episode: { splits: string[] }) => episode.splits)).toEqual(own)
    expect((await catalog(job, '/episodes/4/navigation')).item.current.splits).toEqual(['val'])
    const report = await getReport(job)
    expect(report.summary).toMatch(/Splits: train 4, val 2\.$/)
    expect(report.result.splits).toEqual(manifest.splits)
    expect(report.findings.filter(({ severity }: { severity: string }) => severity !== 'info')).toEqual([])
    const { folder, info } = await takeOut(job)
    expect(info.splits).toEqual(splits)
    const again = await importFolder('named-again', folder)
    expect(await listSplits(again)).toEqual(own)
    expect((await takeOut(again)).info.splits).toEqual(splits)
  })

  test('narrow the list, with words, sort and pages, and an unknown one is refused with those there are', async () => {
    const taskOf = (episode: number) => (episode % 2 === 0 ? 'pick' : 'place')
    const splits = { train: '0:4', val: '3:6', test: '5:6' }
    const job = await importSource('narrowed', { lengths: [9, 8, 7, 6, 5, 4], taskOf, splits })
    const numbers = async (query: string) => {
      const { item } = await catalog(job, `/episodes?${query}`)
      return [item.total, item.items.map((episode: { episode_index: number }) => episode.episode_index)]
    }
    expect(await numbers('split=val')).toEqual([3, [3, 4, 5]])
    expect(await numbers('split=val&sort=frames')).toEqual([3, [5, 4, 3]])
    expect(await numbers('split=val&q=place')).toEqual([2, [3, 5]])
    expect(await numbers('split=val&offset=1&limit=1')).toEqual([3, [4]])
    expect(await numbers('split=train')).toEqual([4, [0, 1, 2, 3]])
    const { item } = await catalog(job, '?split=test')
    expect(item.episode_page.items).toMatchObject([{ episode_index: 5, splits: ['val', 'test'] }])
    for (const path of [
      `/api/v1/catalog/datasets/${job.dataset_id}/episodes?split=valid`,
      `/api/v1/catalog/datasets/${job.dataset_id}?split=valid`,
      '/api/v1/orgs/ada/projects/default/datasets/narrowed/manifest?split=valid',
    ]) {
      const { status, body } = await program.call('GET', path, { bearer, headers: { 'if-none-match': '*' } })
      expect(status).toBe(422)
      const [issue] = body.detail
      expect(issue).toMatchObject({ loc: ['query', 'split'], input: 'valid' })
      expect(issue.msg).toContain('the splits are train, val, test')
    }
  })

  test('are renumbered around what is left out, and what lies outside stays outside', async () => {
    // Rows of its episode 1 are missing.
    const folder = await copyGolden('lerobot/v3.0-splits-with-a-gap', 'gap')
    await writeSplits(folder, { train: '0:2', late: '7:9' })
    const job = await importFolder('gap', folder)
    expect(await listSplits(job)).toEqual([['train'], []])
    const report = await getReport(job)
    const told = report.findings.filter(({ rule }: { rule: string }) => rule.startsWith('split'))
    expect(told.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      'The split train (0:2) names episodes that are missing or left out: 1.',
      'The split late (7:9) names episodes that are missing or left out: 7, 8.',
      'Splits are kept, with their episodes: train (1); 1 episode is in none.',
    ])
    expect((await catalog(job)).item.metrics.split_names).toEqual(['train'])
    expect((await takeOut(job)).info.splits).toEqual({ train: '0:1' })

    await writeSplits(folder, { val: '0:2', train: '2:3' })
    const shifted = await importFolder('shifted', folder)
    expect((await takeOut(shifted)).info.splits).toEqual({ val: '0:1', train: '1:2' })

    // Nothing of the only split is left: nobody becomes `train` by that.
    await writeSplits(folder, { val: '1:2' })
    const lost = await importFolder('lost', folder)
    expect(await listSplits(lost)).toEqual([[], []])
    expect((await catalog(lost)).item.metrics.split_names).toEqual([])
    const { folder: stored, info } = await takeOut(lost)
    expect(info.splits).toEqual({})
    expect(await listSplits(await importFolder('lost-again', stored))).toEqual([[], []])
  })

  test('without any, all are train, as LeRobot itself writes', async () => {
    const job = await importSource('nameless', { lengths: [5, 6], splits: {} })
    expect(await listSplits(job)).toEqual([['train'], ['train']])
    expect((await takeOut(job)).info.splits).toEqual({ train: '0:2' })
    expect((await getReport(job)).summary).toMatch(/Nothing was left out\.$/)
  })
})

describe('splits of HDF5 files', () => {
  test("are robomimic's masks: several for one demo, such that are no ranges, and such that name what is not there", async () => {
    const job = await importFolder('masks', join(golden, 'hdf5/robomimic/source/low.hdf5'))
    expect(await listSplits(job)).toEqual([
      ['train'],
      ['train'],
      ['20_percent_train', 'train'],
      ['train'],
      ['train'],
      ['20_percent_train', 'train'],
      ...[6, 7, 8].map(() => ['train']),
      ['valid'],
      ['valid'],
    ])
    expect((await catalog(job)).item.splits).toEqual([
      { name: 'train', episode_count: 9 },
      { name: '20_percent_train', episode_count: 2 },
      { name: 'valid', episode_count: 2 },
    ])
    expect(job.hdf5?.episodes.map(({ split }) => split).slice(0, 3)).toEqual(['train', 'train', 'train'])
    const { findings } = await getReport(job)
    const told = findings.filter(({ rule }: { rule: string }) => rule.startsWith('split'))
    expect(told.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      'The split train names episodes that are missing or left out: demo_77.',
      'The split empty has no episode; not kept.',
      'Splits are kept, with their episodes: train (9), 20_percent_train (2), valid (2). Not in info.json, which has words for ranges of episodes only, but in meta/nmp-episodes.parquet: 20_percent_train.',
    ])
    const { folder, info } = await takeOut(job)
    expect(info.splits).toEqual({ train: '0:9', valid: '9:11' })
    expect(await listSplits(await importFolder('masks-again', folder))).toEqual(await listSplits(job))
  }, 60_000)

  test("are RoboMIND's folders", async () => {
    const [file] = await Array.fromAsync(glob('**/trajectory.hdf5', { cwd: join(golden, 'hdf5/robomind/source') }))
    const folder = join(scratch, 'robomind')
    for (const [split, trajectory] of [
      ['train', 'b'],
      ['val', 'a'],
      ['train', 'c'],
    ]) {
      const target = join(folder, `h5_agilex_3rgb/pack/success_episodes/${split}/${trajectory}/data`)
      await mkdir(target, { recursive: true })
      await cp(join(golden, 'hdf5/robomind/source', file ?? ''), join(target, 'trajectory.hdf5'))
    }
    const job = await importFolder('robomind', folder)
    expect(await listSplits(job)).toEqual([['train'], ['train'], ['val']])
    expect((await takeOut(job)).info.splits).toEqual({ train: '0:2', val: '2:3' })
  }, 60_000)
})
