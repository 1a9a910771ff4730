import { decodeImage } from '@nmp/formats/image'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseCases } from '../../../../fixtures/test-where.ts'
import { type Exporter, openExporter } from '../../../test/exporter.ts'
import { uploadBytes, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { prepareDataset, publishPrepared } from '../../../test/published-dataset.ts'
import { makeRichRecording, richCameras } from '../../../test/rich-recording.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

/** What a version answers before its export, after it, and what a dataset imported from the exported tar answers. */

const lengths = [9, 14, 6, 11, 8, 12]
const [front, wrist, top] = richCameras
let program: TestProgram
let bearer: string
let exporter: Exporter
let annotationSet: string
const sources: Record<string, string> = {}

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  for (const [slug, hasState] of [
    ['rich', true],
    ['stateless', false],
  ] as const) {
    const prepared = await prepareDataset(makeRichRecording(lengths, hasState), 'h264')
    const place = { orgId: org.id, projectId: project.id, slug }
    sources[slug] = (await publishPrepared(program.context, prepared, place)).datasetId
  }
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  const episodes = [
    { episode_index: 0, task: 'place 1', tags: ['good'] },
    { episode_index: 4, task: 'stack the cups' },
  ]
  const sets = '/api/v1/orgs/acme/projects/lab/datasets/rich/annotation-sets'
  annotationSet = (await exporter.call('POST', sets, { name: 'Reviewed', episodes })).body.item.id
  program.startWorker()
}, 240_000)
afterAll(async () => {
  await exporter.close()
  await program.close()
})

// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
type Json = any

interface Answers {
  numbers: Record<string, Json>
  features: Json[]
  pictures: Record<string, Uint8Array>
}

/** Addresses, and the seconds in files that they lead to, are another matter. */
const withoutPlaces = ({ items, ...page }: Json) => ({
  ...page,
  items: items.map(({ streams, ...item }: Json) => ({
    ...item,
    streams: streams.map(({ camera_key, label, duration_sec }: Json) => ({ camera_key, label, duration_sec })),
  })),
})
const withoutSource = (value: Json): Json =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === 'source_index' ? undefined : part)))

async function ask(id: string): Promise<Answers> {
  const base = `/api/v1/catalog/datasets/${id}`
  const get = async (rest: string) => {
    const { status, body } = await program.call('GET', base + rest, { bearer })
    expect(status, `${rest} ${JSON.stringify(body).slice(0, 300)}`).toBe(200)
    return body.item
  }
  const manifest = await get('')
  const { observation, annotation, metrics, episode_page, modalities, action, statistics, tasks, splits } = manifest
  const total = metrics.total_episodes
  const numbers: Record<string, Json> = {
    manifest: { observation, metrics, episode_page, modalities, action, statistics, tasks, splits },
    annotation: annotation.keys.filter((key: string) => !key.includes('/')),
    task_name: manifest.task_name,
    statistics: await get('/statistics'),
    byLength: await get('/episodes?sort=duration&order=desc&limit=3'),
    search: await get('/episodes?q=place'),
    split: await get('/episodes?split=train'),
    navigation: await get(`/episodes/${total - 1}/navigation`),
    frames: withoutPlaces(await get('/frames?view=last')),
    filtering: await get('/filtering'),
    insights: await get('/insights'),
    curves: await get('/motion-curves'),
    thumbnails: (await get('/thumbnails')).urls.length,
  }
  const read = async (rest: string) => {
    const answer = await fetch(program.url + base + rest, { headers: { authorization: `Bearer ${bearer}` } })
    expect(answer.status, rest).toBe(200)
    return new Uint8Array(await answer.arrayBuffer())
  }
  for (let episode = 0; episode < total; episode++)
    numbers[`rows ${episode}`] = await get(`/episodes/${episode}/rows?points=5000`)
  numbers.csv = Buffer.from(await read('/episodes/1/rows?format=csv&start_frame=2&end_frame=5')).toString()
  const pictures: Record<string, Uint8Array> = { arrow: await read('/episodes/0/rows?format=arrow') }
  for (const stream of (await get('/episodes/1/media')).streams) {
    const key = stream.camera_key
    pictures[`${key} poster`] = await fetchBytes(`${stream.poster_url}&width=1280&format=webp`)
    pictures[`${key} sprite`] = await fetchBytes(stream.sprite_url)
    pictures[`${key} page`] = await fetchBytes(
      (await get(`/episode-sprite?camera_key=${encodeURIComponent(key)}&limit=3`)).url,
    )
  }
  return { numbers: withoutSource(numbers), features: (await get('/feature-statistics')).features, pictures }
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  const answer = await fetch(url)
  expect(answer.status, url).toBe(200)
  return new Uint8Array(await answer.arrayBuffer())
}

/** Everything the same; numbers up to `tolerance` of their size. */
function expectSame(found: Json, wanted: Json, tolerance: number, path = ''): void {
  if (typeof wanted === 'number' && typeof found === 'number') {
    if (Math.abs(found - wanted) > tolerance * Math.max(1, Math.abs(wanted)))
      expect([path, found]).toEqual([path, wanted])
  } else if (wanted !== null && typeof wanted === 'object' && found !== null && typeof found === 'object') {
    expect([path, Object.keys(found)]).toEqual([path, Object.keys(wanted)])
    for (const key of Object.keys(wanted)) expectSame(found[key], wanted[key], tolerance, `${path}/${key}`)
  } else expect([path, found]).toEqual([path, wanted])
}

async function expectPictures(found: Answers, wanted: Answers, encoded: readonly string[]): Promise<void> {
  expect(Object.keys(found.pictures)).toEqual(Object.keys(wanted.pictures))
  for (const [name, bytes] of Object.entries(found.pictures)) {
    const other = wanted.pictures[name] as Uint8Array
    if (!encoded.some((camera) => name.startsWith(camera))) {
      expect([name, Buffer.from(bytes).equals(Buffer.from(other))]).toEqual([name, true])
      continue
    }
    // What the encoder loses is left; that the pixels it gets are these is held in formats/src/containers/codec/codec.test.ts.
    const [one, two] = [await decodeImage(bytes), await decodeImage(other)]
    expect([name, one.width, one.height]).toEqual([name, two.width, two.height])
    const sum = one.data.reduce((total, value, at) => total + Math.abs(value - (two.data[at] as number)), 0)
    expect([name, sum / one.data.length < 8]).toEqual([name, true])
  }
}

async function importTar(bytes: Uint8Array<ArrayBuffer>, slug: string): Promise<string> {
  const upload = await uploadBytes(program, bearer, `${slug}.tar`, bytes)
  const body = { source_kind: 'lerobot', dataset_slug: slug, upload_ids: [upload] }
  const created = await program.call('POST', '/api/v1/orgs/acme/projects/lab/imports', { bearer, body })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const job = await waitForImport(program, bearer, { org: 'acme', project: 'lab' }, created.body.item.id)
  expect([job.status, job.error_message]).toEqual(['succeeded', null])
  return job.dataset_id as string
}

const crop = { left_pct: 10, top_pct: 5, width_pct: 75, height_pct: 85 }
const action = { smoothing_window: 5, smoothing_mode: 'gaussian', scale: 1.5, clip_min: -2, clip_max: 3 }
const recipes: [name: string, source: string, recipe: () => object][] = [
  ['everything', 'rich', () => ({})],
  ['a selection', 'rich', () => ({ selected_episode_indices: [5, 1, 3] })],
  ['an exclusion and the first', 'rich', () => ({ excluded_episode_indices: [0], first_n_episodes: 3 })],
  ['one camera, pictures', 'rich', () => ({ camera_keys: [wrist], excluded_episode_indices: [2] })],
  ['no change but a camera less', 'rich', () => ({ camera_keys: [front, top] })],
  ['a crop', 'rich', () => ({ crop, first_n_episodes: 4 })],
  ...(['fit', 'fill', 'stretch'] as const).map((mode): (typeof recipes)[number] => [
    `a resize to ${mode}`,
    'rich',
    () => ({ resize: { width: 72, height: 64, mode }, selected_episode_indices: [0, 1, 4] }),
  ]),
  ['an action of its own', 'rich', () => ({ action, excluded_episode_indices: [4] })],
  ['an action that motion is scored by', 'stateless', () => ({ action, camera_keys: [front] })],
  ['annotations', 'rich', () => ({ annotation_set_id: annotationSet, camera_keys: [front] })],
  ['a trim', 'rich', () => ({ trim: { ranges: { '0': [[2, 9]], '1': [[5, 12]] } } })],
  [
    'pieces and parts, smoothed',
    'rich',
    () => ({
      trim: {
        ranges: {
          '1': [
            [0, 3],
            [6, 13],
          ],
          '3': [[1, 10]],
        },
      },
      split: { '4': { at: [3], tasks: ['reach', 'rest a while'] } },
      action: { ...action, smoothing_dimensions: ['1'] },
      annotation_set_id: annotationSet,
      excluded_episode_indices: [2],
    }),
  ],
  [
    'parts of another size',
    'rich',
    () => ({
      crop,
      trim: {
        ranges: {
          '1': [
            [0, 4],
            [7, 13],
          ],
        },
        inside: 'split',
      },
    }),
  ],
  [
    'another rate, shifted',
    'rich',
    () => ({
      fps: 4,
      trim: { ranges: { '1': [[1, 13]] } },
      action: { ...action, shift_frames: -2 },
      annotation_set_id: annotationSet,
      excluded_episode_indices: [2],
    }),
  ],
  [
    'features of other names and widths',
    'rich',
    () => ({
      action,
      camera_keys: [front, wrist],
      excluded_episode_indices: [2],
      features: {
        drop: ['reward'],
        rename: { action: 'command', [front]: 'observation.images.first', [wrist]: 'observation.images.second' },
        dimensions: { action: ['1'], 'observation.state': ['2', '0'] },
      },
    }),
  ],
  [
    'all at once',
    'rich',
    () => ({
      annotation_set_id: annotationSet,
      action: { smoothing_window: 3, smoothing_mode: 'median' },
      crop,
      resize: { width: 64, height: 64, mode: 'fit' },
      camera_keys: [front, wrist],
      excluded_episode_indices: [1],
    }),
  ],
]

const inShort = [
  ...['a selection', 'one camera, pictures', 'an action that motion is scored by', 'all at once'],
  'pieces and parts, smoothed',
]

const pinned = (source: string, more: object) => ({
  ...{ dataset_kind: 'catalog', dataset_id: sources[source], confirm: ['units'] },
  ...more,
})
const merges: [name: string, sources: () => object[], encoded: string[]][] = [
  [
    'a constant for what one source lacks, and other task texts',
    () => [
      pinned('rich', { recipe: { excluded_episode_indices: [2] } }),
      pinned('stateless', {
        map: { features: { 'observation.state': { fill: [0.5, 1, 2] } }, tasks: { rest: 'reach' } },
      }),
    ],
    [],
  ],
  [
    'other names, dimensions, units and rates, a changed action, a cut',
    () => [
      pinned('rich', {
        recipe: { fps: 5, first_n_episodes: 3 },
        map: { cameras: { [wrist]: 'observation.images.hand' } },
      }),
      pinned('stateless', {
        recipe: { action, trim: { ranges: { '1': [[3, 12]] } }, selected_episode_indices: [1, 4] },
        map: {
          cameras: { [wrist]: 'observation.images.hand' },
          features: {
            action: { dimensions: ['1', '0'], unit: { '0': ['deg', 'rad'] } },
            'observation.state': null,
          },
        },
      }),
    ],
    [front, top],
  ],
]

describe('several sources answer the same before the export and after it', () => {
  test.each(merges)(
    '%s',
    async (_name, makeSources, encoded) => {
      const body = { slug: 'merged', name: 'Merged', project_slug: 'lab', sources: makeSources() }
      const made = await exporter.call('POST', exporter.versionsPath, body)
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      const { id } = made.body.item
      const before = await ask(id)
      const job = await exporter.waitForEnd(id, await exporter.queue(id))
      expect([job.status, job.error_message]).toEqual(['succeeded', null])
      const after = await ask(id)
      expectSame(before.numbers, after.numbers, 1e-9)
      await expectPictures(before, after, encoded)
      const pending = before.features.filter((feature) => feature.pending).map((feature) => feature.name)
      expect(pending).toEqual(encoded)
      const known = ({ features }: Answers) => features.filter((feature) => !pending.includes(feature.name))
      expectSame(known(before), known(after), 1e-6)
    },
    240_000,
  )
})

describe('a version answers the same before its export, after it, and imported', () => {
  test.each(chooseCases(recipes, ([name]) => inShort.includes(name)))(
    '%s',
    async (name, source, makeRecipe) => {
      const recipe = makeRecipe()
      const version = await exporter.derive(sources[source] as string, recipe)
      const before = await ask(version.id)
      const job = await exporter.waitForEnd(version.id, await exporter.queue(version.id))
      expect([job.status, job.error_message]).toEqual(['succeeded', null])
      const after = await ask(version.id)
      expectSame(before.numbers, after.numbers, 1e-9)
      const isChanged = ['crop', 'resize', 'trim', 'split', 'fps'].some((key) => key in recipe)
      const encoded = isChanged ? [front] : []
      await expectPictures(before, after, encoded)
      const pending = before.features.filter((feature) => feature.pending).map((feature) => feature.name)
      const kept = before.features.map((feature) => feature.name)
      expect(pending).toEqual([front, top].filter((key) => isChanged && kept.includes(key)))
      expect(after.features.some((feature) => feature.pending)).toBe(false)
      const known = ({ features }: Answers) => features.filter((feature) => !pending.includes(feature.name))
      expectSame(known(before), known(after), 1e-6)
      expect(after.features.map((feature) => feature.name)).toEqual(kept)

      const link = await exporter.findLink(version.id)
      const imported = await ask(
        await importTar((await fetchBytes(link)) as Uint8Array<ArrayBuffer>, name.replaceAll(/\W+/g, '-')),
      )
      expectSame(after.numbers, imported.numbers, 1e-9)
      expectSame(after.features, imported.features, 1e-6)
      await expectPictures(after, imported, [])
    },
    240_000,
  )
})
