import { createHash } from 'node:crypto'
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../test/exporter.ts'
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

test('a dataset without tasks has none, while loaders find the empty text that they need', async () => {
  const job = await importSource('taskless', { lengths: [4, 5], taskOf: () => '' })
  const { item } = await catalog(job)
  expect(item.metrics.total_tasks).toBe(0)
  expect([item.tasks, item.task_name]).toEqual([[], null])
  expect(item.episode_page.items.map(({ tasks }: { tasks: string[] }) => tasks)).toEqual([[], []])
  await program.call('PATCH', '/api/v1/orgs/ada/projects/default/datasets/taskless', {
    bearer,
    body: { visibility: 'public' },
  })
  const browsed = (await program.call('GET', '/api/v1/catalog/datasets?q=taskless')).body
  expect(browsed.items).toMatchObject([{ slug: 'taskless', tasks: [], total_tasks: 0 }])
  expect(browsed.facets.task).toEqual([])
  const { folder, info } = await takeOut(job)
  expect(info.total_tasks).toBe(1)
  await using stored = await openDataset(await openFolder(folder))
  expect(stored.getEpisode(1).tasks).toEqual([''])
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
      'The split empty has no episodes; not kept.',
      'Splits are kept, with their episodes: train (9), 20_percent_train (2), valid (2). Not in info.json, which can only express ranges of episodes, but in meta/nmp-episodes.parquet: 20_percent_train.',
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

describe('splits in a recipe', () => {
  let exporter: Exporter
  let source: ImportJob
  beforeAll(async () => {
    exporter = await openExporter(program, bearer, 'ada', 'default')
    const splits = { train: '0:4', val: '4:6', held: '3:4' }
    source = await importSource('recipe', { lengths: [5, 6, 7, 8, 9, 10, 11], splits })
  }, 60_000)
  afterAll(() => exporter.close())

  const preview = async (recipe: object) => {
    const body = { source: { dataset_kind: 'catalog', dataset_id: source.dataset_id }, recipe }
    return (await exporter.call('POST', `${exporter.versionsPath}/preview`, body)).body
  }

  test('select episodes, and what comes out is renumbered, in the version and in its export', async () => {
    const recipe = { where: { splits_any: ['train', 'val'] }, excluded_episode_indices: [0, 5] }
    const shown = (await preview(recipe)).item
    const after = [
      { name: 'train', episode_count: 3 },
      { name: 'held', episode_count: 1 },
      { name: 'val', episode_count: 1 },
    ]
    expect(shown).toMatchObject({ episode_count: 4, frame_count: 6 + 7 + 8 + 9, splits: after })
    const version = await exporter.derive(source.dataset_id ?? '', recipe)
    const { dataset, folder } = await exporter.exportVersion(version)
    await using opened = dataset
    const own = [['train'], ['train'], ['train', 'held'], ['val']]
    expect(Array.from({ length: 4 }, (_, position) => opened.getEpisode(position).splits)).toEqual(own)
    const info = JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8'))
    expect(info.splits).toEqual({ train: '0:3', held: '2:3', val: '3:4' })
    expect(version.recipe).toMatchObject({ where: { splits_any: ['train', 'val'] }, camera_keys: null })
    const again = await importFolder('recipe-again', folder)
    expect(await listSplits(again)).toEqual(own)
  }, 60_000)

  test('episodes in no split stay outside when nothing else is selected', async () => {
    const { dataset, folder } = await exporter.exportAndOpen(source.dataset_id ?? '', { selected_episode_indices: [6] })
    await using opened = dataset
    expect(opened.getEpisode(0).splits).toEqual([])
    expect(JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8')).splits).toEqual({})
  }, 60_000)

  test('one that is not there is refused at its place, and so is a selection that leaves none', async () => {
    const unknown = await preview({ where: { splits_any: ['train', 'test'] } })
    expect(unknown.detail).toMatchObject([{ loc: ['body', 'recipe', 'where', 'splits_any', 1], input: 'test' }])
    expect(unknown.detail[0].msg).toContain('there is no split test: the dataset has train, held, val')
    const none = await preview({ where: { splits_any: ['val'] }, selected_episode_indices: [0] })
    expect(none.detail).toMatchObject([{ loc: ['body', 'recipe'] }])
    expect(none.detail[0].msg).toContain('is in one of the splits')
  })

  test('a recipe from before has the digest that it had, and is answered with the key', async () => {
    const recipe = { selected_episode_indices: [1, 0], notes: 'older' }
    const version = await exporter.derive(source.dataset_id ?? '', recipe)
    // The digest as programs without the key computed it.
    const meaning = {
      selected_episode_indices: [0, 1],
      excluded_episode_indices: [],
      first_n_episodes: null,
      camera_keys: [],
      crop: null,
      resize: null,
      action: null,
      annotation_set_id: null,
      annotation_set_version: null,
    }
    const digest = createHash('sha256').update(JSON.stringify(meaning)).digest('hex')
    expect(version.checksums.recipe_sha256).toBe(digest)
    const { db } = program.context
    const stored = sql<object>`recipe - 'where'`
    await db
      .updateTable('versions')
      .set({ recipe: stored as never })
      .where('id', '=', version.id)
      .execute()
    const { body } = await exporter.call('GET', `${exporter.versionsPath}/${version.id}`)
    expect(body.item.recipe).toEqual(version.recipe)
    expect(body.item.recipe.where).toBeNull()
    expect((await exporter.waitForEnd(version.id, await exporter.queue(version.id))).status).toBe('succeeded')
  }, 60_000)
})
