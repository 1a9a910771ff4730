import { join } from 'node:path'
import { decodeImage } from '@nmp/formats/image'
import { openParquetReader } from '@nmp/formats/parquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPictureNumber } from '../../../../formats/test/numbered-picture.ts'
import { type Exporter, openExporter, readColumn } from '../../../test/exporter.ts'
import { openDoor } from '../../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishArms, radians } from '../../../test/small-arms.ts'
import { waitUntil } from '../../../test/wait-until.ts'
import { deleteDatasetsPastGrace } from '../../datasets/service.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

let program: TestProgram
let bearer: string
let exporter: Exporter
const ids: string[] = []
const revisions: string[] = []
beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  for (const { datasetId, revisionId } of await publishArms(program.context, {
    orgId: org.id,
    projectId: project.id,
  })) {
    ids.push(datasetId)
    revisions.push(revisionId)
  }
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  program.startWorker()
}, 120_000)
afterAll(async () => {
  await exporter.close()
  await program.close()
})

const source = (place: number, more: object = {}) => ({ dataset_kind: 'catalog', dataset_id: ids[place], ...more })
const map = {
  cameras: { 'observation.images.above': 'observation.images.top' },
  features: { action: { dimensions: ['a', 'b', 'c'], unit: ['deg', 'rad'] } },
  tasks: { pull: 'push' },
}

test('what does not fit is refused at its place; what would fit is suggested with its reasons', async () => {
  const body = { slug: 'both', name: 'Both', project_slug: 'lab', sources: [source(0), source(1)] }
  const refused = await exporter.call('POST', exporter.versionsPath, body)
  expect([refused.status, refused.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))]).toEqual([
    422,
    [
      'body.sources.1.map.features.action',
      'body.sources.1.map.cameras.observation.images.top',
      'body.sources.0.map.cameras.observation.images.above',
    ],
  ])
  const recipe = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, {
    sources: [source(0), source(1, { recipe: { camera_keys: ['none'] } })],
  })
  expect(recipe.body.detail[0].loc).toEqual(['body', 'sources', 1, 'recipe', 'camera_keys', 0])
  const both = await exporter.call('POST', exporter.versionsPath, { ...body, source: source(0), recipe: {} })
  expect([both.status, both.body.detail[0].loc]).toEqual([422, ['body', 'source']])
  const neither = await exporter.call('POST', exporter.versionsPath, { slug: 'both', name: 'Both' })
  expect(neither.body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [type, ...loc])).toEqual([
    ['missing', 'body', 'source'],
    ['missing', 'body', 'recipe'],
  ])
  const suggested = await exporter.call('POST', `${exporter.versionsPath}/suggest-map`, {
    sources: [source(0), source(1)],
  })
  expect(suggested.status, JSON.stringify(suggested.body)).toBe(200)
  const { tasks: _, ...shape } = map
  expect(suggested.body.items[1].map).toEqual(shape)
  expect(suggested.body.items[1].rows.every(({ reason }: { reason: string }) => reason.length > 0)).toBe(true)
  const preview = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, {
    sources: [source(0), source(1, { map })],
  })
  expect(preview.body.item).toMatchObject({
    episode_count: 5,
    frame_count: 14 + 15,
    fps: 10,
    sources: [
      { frame_count: 14, source_fps: 10 },
      { frame_count: 15, source_fps: 20 },
    ],
    tasks: [
      { task: 'push', episode_count: 4 },
      { task: 'pull', episode_count: 1 },
    ],
  })
})

test('a version of several sources is made, loaded through the door before any export, and tells where each episode is from', async () => {
  const sources = [source(0), source(1, { map, recipe: { excluded_episode_indices: [1] } })]
  const made = await exporter.call('POST', exporter.versionsPath, {
    slug: 'merged',
    name: 'Merged',
    project_slug: 'lab',
    sources,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { item } = made.body
  expect(item).toMatchObject({ episode_count: 4, frame_count: 14 + 9, source: { dataset_id: ids[0] } })
  expect(item.sources.map((one: { recipe: { fps: number }; map: object }) => [one.recipe.fps, one.map])).toEqual([
    [null, {}],
    [10, map],
  ])
  const early = await exporter.call('GET', `/api/v1/catalog/datasets/${item.id}/episodes`)
  expect(early.status, JSON.stringify(early.body)).toBe(200)
  const token = (
    await exporter.call('POST', '/api/v1/users/me/tokens', {
      name: 'door',
      scopes: ['workspace:read', 'exports:write'],
    })
  ).body.token
  const info = await openDoor(program, token).read('acme/merged', 'meta/info.json')
  expect(JSON.parse(String(info))).toMatchObject({ fps: 10, total_episodes: 4, total_frames: 23 })
  const { dataset, folder } = await exporter.exportVersion(item)
  await using result = dataset
  expect(result.getEpisode(2).tasks).toEqual(['push'])
  const frames = [0, 2, 4, 6, 8]
  for (const [at, value] of (await readColumn(result, 2, 'action')).entries())
    expect(value).toBeCloseTo(radians(frames[Math.floor(at / 3)] as number, 'abc'[at % 3] as string), 5)
  await using reader = await openParquetReader(folder)
  const columns = ['source_index', 'source_dataset_id', 'source_episode_index']
  const rows = await Array.fromAsync(reader.readRecords(join(folder, 'meta/nmp-episodes.parquet'), columns))
  const expected = [
    [0, ids[0], 0],
    [0, ids[0], 1],
    [1, ids[1], 0],
    [1, ids[1], 2],
  ]
  expect(rows.map((row) => columns.map((name) => (name.endsWith('index') ? Number(row[name]) : row[name])))).toEqual(
    expected,
  )
  const shown = await exporter.call('GET', `/api/v1/catalog/datasets/${item.id}/episodes`)
  expect(shown.status, JSON.stringify(shown.body)).toBe(200)
  for (const { body } of [early, shown])
    expect(body.item.items.map((row: Record<string, unknown>) => columns.map((name) => row[name]))).toEqual(expected)
  const lineage = await exporter.call('GET', `${exporter.versionsPath}/${item.id}/lineage`)
  const from = item.sources.map((one: { revision_id: string }) => one.revision_id)
  for (const id of from) expect(lineage.body.item.edges).toContainEqual({ from: id, to: item.id })
  const listed = await exporter.call('GET', `${exporter.versionsPath}?source=${ids[1]}`)
  expect(listed.body.items[0].sources).toHaveLength(2)
}, 120_000)

const create = async (slug: string, sources: object[], more: object = {}) => {
  const body = { slug, name: slug, project_slug: 'lab', sources, ...more }
  const made = await exporter.call('POST', exporter.versionsPath, body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.item
}

test('shapes, sizes, names and units that do not fit are refused over HTTP, each in words and at its place; an older revision is pinned', async () => {
  const [camera, top] = ['observation.images.above', 'observation.images.top']
  const older = { dataset_kind: 'catalog', dataset_id: ids[2], revision_id: revisions[2] }
  const resize = { width: 64, height: 64, mode: 'stretch' }
  const cases: [object, (string | number)[], RegExp][] = [
    [
      source(1, { map: { ...map, features: { action: { dimensions: ['a', 'b'], unit: ['deg', 'rad'] } } } }),
      [1, 'map', 'features', 'action'],
      /has the shape 3 in source 0 .* and 2 in source 1/,
    ],
    [
      source(1, { map, recipe: { resize } }),
      [1, 'map', 'cameras', camera as string],
      /is 96x64 in source 0 .* and 64x64 in source 1 .*: give one of them a resize/,
    ],
    [
      source(1, { map: { ...map, features: { [top as string]: { from: 'action' } } } }),
      [1, 'map', 'cameras', camera as string],
      /two features of the source would be called observation.images.top/,
    ],
    [
      older,
      [1, 'map', 'features', 'action'],
      /cannot have one unit: it is .* in source 0 .* and 100 to 101 in source 1/,
    ],
    [{ ...older, revision_id: revisions[0] }, [1, 'revision_id'], /the dataset arm-2 has no such revision/],
  ]
  for (const [second, loc, sentence] of cases) {
    const body = { slug: 'wrong', name: 'Wrong', project_slug: 'lab', sources: [source(0), second] }
    const { status, body: answer } = await exporter.call('POST', exporter.versionsPath, body)
    const [fault] = answer.detail ?? []
    expect([status, fault?.loc], JSON.stringify(answer)).toEqual([422, ['body', 'sources', ...loc]])
    expect(fault.msg).toMatch(sentence)
  }
  const made = await create('older', [{ ...older, confirm: ['units'] }, source(0, { confirm: ['units'] })])
  expect(made).toMatchObject({ episode_count: 3, source: { dataset_id: ids[2], revision_number: 1 } })
  const rows = await exporter.call('GET', `/api/v1/catalog/datasets/${made.id}/episodes/0/rows?columns=action`)
  expect(rows.body.item.end_frame, JSON.stringify(rows.body).slice(0, 300)).toBe(4)
  const { items } = (await exporter.call('GET', `/api/v1/catalog/datasets/${made.id}/episodes`)).body.item
  expect(items.map((row: { source_revision: string }) => row.source_revision)).toEqual([
    revisions[2],
    revisions[0],
    revisions[0],
  ])
})

test('before any export every frame of every source is shown from its own video, and goes with nobody who may not see it', async () => {
  const { id } = await create('watched', [source(0), source(1, { map })])
  const base = `/api/v1/catalog/datasets/${id}`
  const frames = (await exporter.call('GET', `${base}/frames?view=last`)).body.item
  const shownAs = frames.items.map(({ streams }: { streams: { url: string }[] }) =>
    new URL(streams[0]?.url ?? '').pathname.split('/').at(-1),
  )
  // The second source is brought to half its rate, so that no range of its file shows an episode.
  expect(shownAs).toEqual(['video', 'video', 'clip', 'clip', 'clip'])
  const numbers: number[] = []
  for (const { streams } of frames.items) {
    const [{ poster_url: poster, url }] = streams
    expect((await fetch(url)).status).toBe(200)
    const picture = await fetch(`${poster}&format=webp`)
    numbers.push(readPictureNumber(await decodeImage(new Uint8Array(await picture.arrayBuffer()))))
  }
  expect(numbers).toEqual([7, 5, 8, 10, 6])
  const other = new URL(frames.items[0].streams[0].url)
  for (const path of ['sources/1/meta/info.json', 'sources/2/videos/a.mp4', 'videos/a.mp4']) {
    const query = new URLSearchParams({ path })
    const address = `${other.pathname}?${query}`
    expect([path, (await program.call('GET', address, { bearer })).status]).toEqual([path, 404])
  }
  const stranger = await program.signIn(await program.addUser('eve@example.org'))
  for (const rest of ['', '/episodes', '/frames', '/feature-statistics', '/episodes/3/rows'])
    expect([rest, (await program.call('GET', base + rest, { bearer: stranger })).status]).toEqual([rest, 404])
})

test('what differs from a source is told by content before any export; sources stay while the version does', async () => {
  const ask = async (from: string, to: string) =>
    (await exporter.call('GET', `/api/v1/orgs/acme/diff?from=${from}&to=${to}`)).body.item
  const diff = (from: string, to: string) =>
    waitUntil(async () => {
      const item = await ask(from, to)
      if (item.state === 'failed') throw new Error(JSON.stringify(item.preparing))
      return item.state === 'ready' ? item : undefined
    })
  const mapped = await create('mapped', [source(0), source(1, { map, recipe: { excluded_episode_indices: [1] } })])
  const told = await diff(ids[0] as string, mapped.id)
  expect(told.counts).toMatchObject({ same: 2, removed: 0 })
  expect(told.counts.added + told.counts.changed + told.counts.trimmed).toBe(2)
  expect(told.recipe.map(({ key }: { key: string }) => key)).toContain('sources.1.map.features.action.unit')
  const twice = await create('twice', [source(0), source(0, { map: { tasks: { pull: 'push' } } })])
  // Whole episodes: their fingerprints are those that the first diff had taken.
  const again = await ask(ids[0] as string, twice.id)
  expect([again.state, again.counts]).toEqual(['ready', expect.objectContaining({ same: 2, added: 2, removed: 0 })])

  const { db } = program.context
  const longAgo = new Date(Date.now() - 30 * 86_400_000)
  const set = (date: Date | null) =>
    db
      .updateTable('datasets')
      .set({ deletion_requested_at: date })
      .where('id', '=', ids[1] as string)
      .execute()
  await set(longAgo)
  await deleteDatasetsPastGrace(db)
  await set(null)
  const rows = await exporter.call('GET', `/api/v1/catalog/datasets/${mapped.id}/episodes/3/rows`)
  expect(rows.status, JSON.stringify(rows.body)).toBe(200)
}, 120_000)

test('a version of several sources is a source again: what it was made of is mapped and chosen from once more', async () => {
  const first = await create('first', [source(0), source(1, { map, recipe: { excluded_episode_indices: [1] } })])
  const version = { dataset_kind: 'version', dataset_id: first.id }
  const view = 'observation.images.view'
  const degrees = {
    cameras: { 'observation.images.top': view },
    features: { action: { unit: ['rad', 'deg'] } },
    tasks: { push: 'shove' },
  }
  const other = { cameras: { 'observation.images.above': view }, features: { action: { dimensions: ['a', 'b', 'c'] } } }
  const made = await create('again', [
    { ...version, map: degrees, recipe: { excluded_episode_indices: [0] }, weight: 3 },
    source(1, { map: other, weight: 1, recipe: { first_n_episodes: 1 } }),
  ])
  const told = made.sources.map((one: Record<string, unknown> & { recipe: Record<string, unknown> }) => {
    return [one.dataset_id, one.recipe.selected_episode_indices, one.map]
  })
  expect(told).toEqual([
    [
      ids[0],
      [1],
      { ...degrees, features: { action: { unit: { a: ['rad', 'deg'], b: ['rad', 'deg'], c: ['rad', 'deg'] } } } },
    ],
    [ids[1], [0, 2], { ...other, tasks: { push: 'shove', pull: 'shove' } }],
    [ids[1], null, other],
  ])
  expect(made.sources[0].weight + made.sources[1].weight).toBeCloseTo(3, 12)
  const list = async ({ id }: { id: string }) => {
    const { body } = await exporter.call('GET', `/api/v1/catalog/datasets/${id}/episodes`)
    type Row = { source_dataset_id: string; source_episode_index: number }
    return body.item.items.map((row: Row) => `${ids.indexOf(row.source_dataset_id)}.${row.source_episode_index}`)
  }
  expect(await list(made)).toEqual(['0.1', '1.0', '1.2', '1.0'])
  for (const [episode, step] of Object.entries({ 0: 1, 1: 2, 3: 2 })) {
    const { body } = await exporter.call('GET', `/api/v1/catalog/datasets/${made.id}/episodes/${episode}/rows`)
    for (const [at, joint] of ['a', 'b', 'c'].entries())
      for (const [frame, value] of body.item.series[0].values[at].entries())
        expect(value).toBeCloseTo((radians(frame * step, joint) * 180) / Math.PI, 3)
  }

  const ask = (recipe: object) =>
    exporter.call('POST', exporter.versionsPath, { slug: 'alone', name: 'Alone', source: version, recipe })
  const trim = { ranges: { 1: [[2, 5]] } }
  const alone = await ask({
    selected_episode_indices: [1, 3],
    trim,
    resize: { width: 64, height: 64, mode: 'stretch' },
  })
  expect(alone.status, JSON.stringify(alone.body)).toBe(201)
  expect(await list(alone.body.item)).toEqual(['0.1', '1.2'])
  const { body: cut } = await exporter.call('GET', `/api/v1/catalog/datasets/${alone.body.item.id}/episodes/0/rows`)
  expect(cut.item.series[0].values[0].map((value: number) => value.toFixed(4))).toEqual(
    [2, 3, 4].map((frame) => radians(frame, 'a').toFixed(4)),
  )
  for (const [recipe, loc] of [
    [{ action: { scale: 2 } }, ['recipe', 'action']],
    [{ selected_episode_indices: [4] }, ['recipe', 'selected_episode_indices', 0]],
    [{ trim: { ranges: { 3: [[2, 5]] } } }, ['recipe', 'trim']],
    [{ split: { 4: { at: [3] } } }, ['recipe', 'split', '4']],
    [{ camera_keys: ['none'] }, ['recipe', 'camera_keys', 0]],
  ] as const) {
    const refused = await ask(recipe)
    expect([refused.status, refused.body.detail?.[0].loc]).toEqual([422, ['body', ...loc]])
  }
  const taken = { ...version, map: { features: { action: { unit: ['deg', 'rad'] } } } }
  const twice = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, { sources: [source(0), taken] })
  expect(twice.body.detail[0]).toMatchObject({
    loc: ['body', 'sources', 1, 'map', 'features', 'action', 'unit'],
    msg: expect.stringContaining('brought to rad when the version was made'),
  })
  const asked = [source(0), version]
  const shown = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, { sources: asked })
  expect(shown.body.item.sources[1]).toMatchObject({ dataset_id: first.id, episode_count: 4, source_index: 1 })
  const suggested = await exporter.call('POST', `${exporter.versionsPath}/suggest-map`, { sources: asked })
  expect(suggested.body.items[1]).toMatchObject({ dataset_id: first.id, map: {} })
  expect((await create('drawn-again', [{ ...version, sample: 2 }], { seed: 5 })).episode_count).toBe(2)
})

test('a sample is the same for the same seed, and another for another', async () => {
  const draw = async (seed: number): Promise<number[]> => {
    const sources = [source(0), source(1, { map, sample: 2 })]
    const { body } = await exporter.call('POST', exporter.versionsPath, {
      slug: 'drawn',
      name: 'Drawn',
      project_slug: 'lab',
      sources,
      seed,
    })
    return body.item.sources[1].recipe.selected_episode_indices
  }
  const draws = await Promise.all([1, 1, 2, 3, 4, 5].map(draw))
  expect(draws[0]).toEqual(draws[1])
  expect(new Set(draws.map(String)).size).toBeGreaterThan(1)
})

test('so many episodes of a task are drawn from all sources, and all of a task that is not named', async () => {
  const sources = [source(0), source(1, { map: { ...map, tasks: {} } })]
  const ask = (samples: object, seed = 0) =>
    exporter.call('POST', `${exporter.versionsPath}/preview/merge`, { sources, seed, task_samples: samples })
  // "pull" is three episodes: one of the first source and two of the second.
  const { item } = (await ask({ pull: 2 })).body
  expect(
    item.tasks.map(({ task, episode_count: count }: { task: string; episode_count: number }) => [task, count]),
  ).toEqual(
    expect.arrayContaining([
      ['push', 2],
      ['pull', 2],
    ]),
  )
  const made = await create('by-task', sources, { seed: 3, task_samples: { pull: 2 } })
  expect(made).toMatchObject({ episode_count: 4, task_samples: { pull: 2 } })
  const again = await create('by-task-again', sources, { seed: 3, task_samples: { pull: 2 } })
  const listDrawn = (version: typeof made) =>
    version.sources.map(
      (one: { recipe: { selected_episode_indices: number[] } }) => one.recipe.selected_episode_indices,
    )
  expect(listDrawn(again)).toEqual(listDrawn(made))
  const few = await ask({ pull: 4 })
  expect([few.status, few.body.detail[0].loc]).toEqual([422, ['body', 'task_samples', 'pull']])
  const unknown = await ask({ 'no such task': 1 })
  expect(unknown.body.detail[0].msg).toMatch(/0 episodes of the result begin with this task/)
  const alone = {
    sources: [source(0, { recipe: { selected_episode_indices: [1] } }), sources[1]],
    task_samples: { pull: 1 },
  }
  const emptied: number[] = []
  for (const seed of [0, 1, 2, 3, 4, 5]) {
    const { status, body } = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, { ...alone, seed })
    if (status === 422) emptied.push(body.detail[0].loc[2])
  }
  // The second source has a "push" that stays; the first has nothing but what may be drawn.
  expect(new Set(emptied)).toEqual(new Set([0]))
})
