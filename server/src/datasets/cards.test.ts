import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../test/exporter.ts'
import { pushFiles, readPushedFolder } from '../../test/hub-push.ts'
import { type HubServer, startHubServer } from '../../test/hub-server.ts'
import { importFixture, uploadBytes, waitForImport } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { prepareRecording } from '../../test/published-dataset.ts'

const hdf5Source = join(import.meta.dirname, '../../../formats/test/golden/hdf5/ph2d/source')
const place = { org: 'ada', project: 'default' }
const base = '/api/v1/orgs/ada/projects/default'

const front = `---
license: cc-by-4.0
language:
- en
- "no"
tags:
- LeRobot
- cubes
pretty_name: 'Pick up cubes: day one'
description: Three cubes on a table.
citation: Doe 2026
viewer: false
---
`
const body = '# Cubes\n\nRecorded by hand. <script>alert(1)</script>'
const card = `${front}\n${body}\n`

let program: TestProgram
let hub: HubServer
let bearer: string
let token: string
let scratch: string
let recording: string
let exporter: Exporter

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'nmp-cards-'))
  recording = join((await prepareRecording([6, 5])).folder, 'dataset')
  hub = await startHubServer(await layOut('on-the-hub', card))
  program = await startProgram({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow })
  const ada = await program.addUser('ada@example.org')
  bearer = await program.signIn(ada)
  token = await program.makeToken(ada, ['workspace:read', 'imports:write'])
  program.startWorker({ pollSeconds: 0.2 })
  exporter = await openExporter(program, bearer, 'ada', 'default')
}, 240_000)
afterAll(async () => {
  await exporter.close()
  await program.close()
  await hub.close()
  await rm(scratch, { recursive: true, force: true })
})

/** The recording as a folder, with or without a card. */
async function layOut(name: string, readme?: string | Buffer): Promise<string> {
  const folder = join(scratch, name)
  await cp(recording, folder, { recursive: true })
  if (readme !== undefined) await writeFile(join(folder, 'README.md'), readme)
  return folder
}

const bring = async (slug: string, readme?: string | Buffer) =>
  importFixture(program, bearer, { ...place, slug, folder: await layOut(`${slug}-${Math.random()}`, readme) })
const create = async (request: object) => {
  const { body: answer } = await program.call('POST', `${base}/imports`, { bearer, body: request })
  return waitForImport(program, bearer, place, answer.item.id)
}
const read = async (slug: string) => (await program.call('GET', `${base}/datasets/${slug}`, { bearer })).body.item
const change = async (slug: string, fields: object) => {
  const answer = await program.call('PATCH', `${base}/datasets/${slug}`, { bearer, body: fields })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.item
}
const reportOf = async ({ id }: { id: string }) =>
  (await program.call('GET', `${base}/imports/${id}/report`, { bearer })).body.item
const door = (path: string) => fetch(`${program.url}/hf${path}`, { headers: { authorization: `Bearer ${token}` } })
const readmeAt = async (slug: string, revision = 'main') =>
  (await door(`/datasets/ada/${slug}/resolve/${revision}/README.md`)).text()
// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
const repository = async (slug: string): Promise<any> => (await door(`/api/datasets/ada/${slug}`)).json()

const said = {
  title: 'Pick up cubes: day one',
  description: 'Three cubes on a table.',
  tags: ['LeRobot', 'cubes'],
  language: ['en', 'no'],
  licence: 'cc-by-4.0',
  citation: 'Doe 2026',
  card_markdown: body,
  edited_fields: [],
}

describe('the card of a source', () => {
  test('becomes what is written beside the dataset, wherever it came from', async () => {
    await bring('uploaded', card)
    expect(await read('uploaded')).toMatchObject(said)
    const manifest = await program.call('GET', `${base}/datasets/uploaded/manifest`, { bearer })
    expect(manifest.body.item).toMatchObject(said)

    const job = await create({ source_kind: 'huggingface', dataset_slug: 'from-hub', hf_repo_id: 'lab/set' })
    expect([job.status, job.title]).toEqual(['succeeded', said.title])
    expect(await read('from-hub')).toMatchObject(said)

    const parent = join(scratch, 'packed')
    await mkdir(parent)
    await cp(recording, join(parent, 'deep', 'set'), { recursive: true })
    await writeFile(join(parent, 'deep', 'README.md'), card)
    execFileSync('tar', ['-czf', join(scratch, 'set.tgz'), '-C', parent, 'deep'])
    const uploadId = await uploadBytes(
      program,
      bearer,
      'set.tgz',
      new Uint8Array(await readFile(join(scratch, 'set.tgz'))),
    )
    await create({ source_kind: 'lerobot', dataset_slug: 'packed', upload_ids: [uploadId] })
    expect(await read('packed')).toMatchObject(said)

    const folder = join(scratch, 'hdf5')
    await cp(hdf5Source, join(folder, 'ph2d'), { recursive: true })
    await writeFile(join(folder, 'ph2d', 'README.md'), card)
    await importFixture(program, bearer, { ...place, slug: 'from-hdf5', folder })
    expect(await read('from-hdf5')).toMatchObject(said)

    const files = await readPushedFolder(await layOut('pushed', card))
    await pushFiles({ url: program.url, token }, 'ada/pushed', files)
    const tagged = await fetch(`${program.url}/hf/api/datasets/ada/pushed/tag/main`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tag: 'v3.0' }),
    })
    expect(tagged.status).toBe(200)
    await expect.poll(async () => (await read('pushed'))?.title, { timeout: 60_000, interval: 200 }).toBe(said.title)
    expect(await read('pushed')).toMatchObject(said)
  }, 240_000)

  test('gives way to a title that the import names, and says nothing where there is none', async () => {
    const ids = []
    for (const { path, content } of await readPushedFolder(await layOut('titled', card)))
      ids.push(await uploadBytes(program, bearer, path, new Uint8Array(content)))
    await create({ source_kind: 'lerobot', dataset_slug: 'titled', title: 'Our cubes', upload_ids: ids })
    expect(await read('titled')).toMatchObject({ ...said, title: 'Our cubes', edited_fields: ['title'] })
    await bring('plain')
    expect(await read('plain')).toMatchObject({
      title: 'plain',
      description: '',
      tags: [],
      licence: null,
      language: [],
    })
  }, 120_000)

  test('that cannot be read is a finding, and never the end of an import', async () => {
    const broken = await bring('broken', '---\npretty_name: [unclosed\n---\nThe text\n')
    const report = await reportOf(broken)
    expect(report.findings).toContainEqual({
      rule: 'card-unreadable',
      severity: 'warning',
      episode: null,
      sentence: expect.stringMatching(/^The front matter of README\.md is not used: .+ \(line 1\)\.$/),
    })
    expect(await read('broken')).toMatchObject({ title: 'broken', card_markdown: 'The text' })
    const noText = await bring('no-text', Buffer.from([0xff, 0xfe, 0x00]))
    expect((await reportOf(noText)).findings.map(({ rule }: { rule: string }) => rule)).toContain('card-unreadable')
  }, 120_000)

  test('of a new revision counts but where a person said otherwise, until they take it back', async () => {
    await bring('edited', card)
    await change('edited', { title: 'Cubes of ours', licence: 'mit', tags: [] })
    const second = `---\npretty_name: Day two\nlicense: apache-2.0\ntags: [more]\ndescription: Four cubes.\n---\nText two\n`
    await bring('edited', second)
    const both = await read('edited')
    expect(both).toMatchObject({
      ...{ revision_number: 2, title: 'Cubes of ours', licence: 'mit', tags: [] },
      ...{ description: 'Four cubes.', card_markdown: 'Text two', citation: null, language: [] },
      edited_fields: ['title', 'tags', 'licence'],
    })
    const back = await change('edited', { title: null, tags: null, licence: null })
    expect(back).toMatchObject({ title: 'Day two', tags: ['more'], licence: 'apache-2.0', edited_fields: [] })
    expect(await change('edited', { licence: '' })).toMatchObject({ licence: null, edited_fields: ['licence'] })
    await change('edited', { licence: null })

    await bring('edited')
    expect(await read('edited')).toMatchObject({ revision_number: 3, title: 'Day two', licence: 'apache-2.0' })
    await program.call('POST', `${base}/datasets/edited/revisions/1/restore`, { bearer })
    expect(await read('edited')).toMatchObject({ ...said, revision_number: 1 })
  }, 240_000)
})

describe('a card is written back', () => {
  test('by the door, under names that always mean the same bytes', async () => {
    await bring('served', card)
    const first = await repository('served')
    expect(await readmeAt('served')).toBe(card)
    await change('served', { description: `${said.description} Again.` })
    const readme = await readmeAt('served')
    expect(readme).toBe(`---
language:
- en
- "no"
license: cc-by-4.0
task_categories:
- robotics
pretty_name: "Pick up cubes: day one"
tags:
- LeRobot
- cubes
description: Three cubes on a table. Again.
citation: Doe 2026
viewer: false
configs:
- config_name: default
  data_files: data/*/*.parquet
---

${body}
`)
    const edited = await repository('served')
    expect(first.cardData).toMatchObject({ license: 'cc-by-4.0', pretty_name: said.title, viewer: false })
    expect(first.tags).toEqual([
      'task_categories:robotics',
      'license:cc-by-4.0',
      'language:en',
      'language:no',
      'LeRobot',
      'cubes',
    ])

    await change('served', { licence: 'Ask the lab', card_markdown: 'Other text' })
    const changed = await repository('served')
    expect(changed.sha).not.toBe(edited.sha)
    expect(edited.sha).not.toBe(first.sha)
    expect(await readmeAt('served')).toContain('license: other\nlicense_name: Ask the lab\n')
    expect(await readmeAt('served')).toMatch(/\n---\n\nOther text\n$/)
    expect(await readmeAt('served', edited.sha)).toBe(readme)
    expect(await readmeAt('served', first.sha)).toBe(card)
    expect((await door(`/datasets/ada/served/resolve/${first.sha}/meta/info.json`)).status).toBe(200)
    await change('served', { licence: null, card_markdown: null, description: null })
    expect((await repository('served')).sha).toBe(first.sha)
  }, 120_000)

  test('by downloads and by exports, which hold what was said when the version was made', async () => {
    await bring('source', card)
    const { id: datasetId, slug } = await read('source')
    const manifest = (await program.call('GET', `${base}/datasets/source/manifest`, { bearer })).body.item
    const archive = manifest.export_artifacts.find(({ key }: { key: string }) => key === 'lerobot')
    const tar = join(scratch, 'source.tar')
    await writeFile(tar, Buffer.from(await (await fetch(archive.href)).arrayBuffer()))
    const packed = execFileSync('tar', ['-xOf', tar, `${slug}/README.md`]).toString()
    expect(packed).toBe(await readmeAt('source'))

    const recipe = { selected_episode_indices: [1] }
    const early = await exporter.derive(datasetId, recipe)
    const made = await exporter.exportAndOpen(datasetId, recipe)
    const readme = await readFile(join(made.folder, 'README.md'), 'utf8')
    expect(packed).toBe(card)
    expect(readme).toContain('pretty_name: "Pick up cubes: day one"\n')
    expect(readme).toMatch(/\nconfigs:\n- config_name: default\n {2}data_files: data\/\*\/\*\.parquet\n---\n\n# Cubes/)
    const pinned = (await exporter.call('GET', `${exporter.versionsPath}/${made.version.id}`)).body.item
    expect(pinned.checksums.card_sha256).toBe(createHash('sha256').update(readme).digest('hex'))
    expect(pinned.provenance.card).toEqual({
      ...{ title: said.title, licence: said.licence, tags: said.tags, language: said.language },
    })

    await change('source', { licence: 'mit', title: 'Renamed' })
    const later = await exporter.exportAndOpen(datasetId, recipe)
    expect(await readFile(join(later.folder, 'README.md'), 'utf8')).toContain('license: mit\n')
    const job = await exporter.waitForEnd(early.id, await exporter.queue(early.id))
    const checksum = createHash('sha256').update(made.bytes).digest('hex')
    expect([job.status, job.checksum_sha256]).toEqual(['succeeded', checksum])
    expect(createHash('sha256').update(later.bytes).digest('hex')).not.toBe(checksum)

    await importFixture(program, bearer, { ...place, slug: 'round', folder: made.folder })
    expect(await read('round')).toMatchObject({ ...said, total_episodes: 1 })
    await made.dataset.close()
    await later.dataset.close()
  }, 240_000)

  test('to a branch, which begins with the card of what it was made from', async () => {
    await bring('branched', card)
    const made = await fetch(`${program.url}/hf/api/datasets/ada/branched/branch/trial`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ startingPoint: 'main' }),
    })
    expect(made.status).toBe(200)
    expect(await readmeAt('branched', 'trial')).toBe(await readmeAt('branched'))
  }, 120_000)
})
