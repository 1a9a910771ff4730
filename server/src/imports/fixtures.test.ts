import { appendFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listCampaignSets, listFixtures } from '../../../fixtures/fixture.ts'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { createFixtureImport, waitForImport } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import { layOutFiles } from '../storage/local-tree.ts'
import type { ImportJob } from './record.ts'

/**
 * Other people's recordings and hostile files through the door: each becomes a dataset, or fails with a sentence. A slice here;
 * all of them, with those of NMP_FIXTURES, by NMP_TEST_FIXTURES=all. With NMP_TEST_STORED_FOLDER (.ci/python-imports) what was
 * stored is put there, with tables of it for the Python checks.
 */
const storedFolder = process.env.NMP_TEST_STORED_FOLDER
const slice = new Set([
  'screwdriver-v2.1-no-video',
  'agilex_paths',
  'minari-HalfCheetah',
  'cve-2018-13874.h5',
  ...(isLongRun
    ? [
        'recorded-v3.0-many-files',
        'robonet_mp4.hdf5',
        'aloha_misaligned_episode_7.hdf5',
        'droid_raw_trajectory.h5',
        'generic_run_0042.h5',
        'cve-2024-32610.h5',
        'truncated_96_bytes.hdf5',
      ]
    : []),
])

interface Fixture {
  name: string
  path: string
  kind: 'lerobot' | 'hdf5' | 'hostile'
}

function chooseFixtures(): Fixture[] {
  const isWhole = process.env.NMP_TEST_FIXTURES === 'all'
  const list = (folder: string, kind: Fixture['kind'], prefix = ''): Fixture[] =>
    [...listFixtures(folder), ...(isWhole ? listCampaignSets(folder) : [])]
      .filter(({ name }) => name !== 'minari' && !name.endsWith('.labels.json'))
      .map(({ name, path: place }) => ({ name: `${prefix}${name}`, path: place, kind }))
  const all = [
    ...list('lerobot', 'lerobot'),
    ...list('hdf5', 'hdf5'),
    ...list('hdf5/minari', 'hdf5', 'minari-'),
    ...list('hdf5-hostile', 'hostile'),
  ]
  return isWhole ? all : all.filter(({ name }) => slice.has(name))
}

let program: TestProgram
let bearer: string
let orgId: string
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'

/** Everything a person can read about an import. */
const readAll = async (job: ImportJob): Promise<string> => {
  const { body } = await program.call('GET', `${path}/${job.id}/report`, { bearer })
  return JSON.stringify([job, body])
}

async function keepStored({ name, path: source, kind }: Fixture, job: ImportJob): Promise<void> {
  if (!storedFolder) return
  const { db, storage } = program.context
  const folder = join(storedFolder, name)
  await mkdir(folder, { recursive: true })
  const files = []
  for await (const file of listRevisionFiles(db, job.revision_id ?? '', orgId)) files.push(file)
  await layOutFiles(storage, files, folder)
  const columns = [name, source, folder, ...(kind === 'lerobot' ? ['-'] : [])]
  await appendFile(join(storedFolder, `${kind}.tsv`), `${columns.join('\t')}\n`)
}

describe('an import of', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    program = await startProgram()
    bearer = await program.signIn(await program.addUser('ada@example.org'))
    orgId = (await program.context.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()).id
    program.startWorker({ backoff: { baseSeconds: 0.1, capSeconds: 0.1 } })
  })
  afterAll(() => program?.close())

  test.each(chooseFixtures())('$name', async (fixture) => {
    const { name, kind } = fixture
    const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
    const created = await createFixtureImport(program, bearer, {
      ...place,
      slug,
      folder: fixture.path,
      sourceKind: kind === 'lerobot' ? 'lerobot' : 'hdf5',
    })
    const job = await waitForImport(program, bearer, place, created.id)
    const said = await readAll(job)
    for (const folder of [program.context.config.NMP_DATA_DIR, tmpdir(), dirname(fixture.path)])
      expect(said).not.toContain(`${folder}/`)
    // Its meta/info.json is missing, and nothing else says what its columns are.
    if (name === 'screwdriver-v2.1-no-video') {
      expect(job).toMatchObject({
        status: 'failed',
        attempt_count: 1,
        error_message: expect.stringContaining('info.json'),
      })
      return
    }
    if (kind !== 'hostile') {
      expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok', error_message: null })
      await keepStored(fixture, job)
      return
    }
    process.stdout.write(`${name}: ${job.status}, ${job.attempt_count}, ${job.error_code}: ${job.error_message}\n`)
    expect(job.error_code).not.toBe('internal_error')
    expect(job.attempt_count).toBeLessThan(3)
    if (job.status === 'failed') expect(job.error_message).toMatch(/^\P{Cc}{20,}\.$/u)
    else expect(job.status).toBe('succeeded')
  })
})
