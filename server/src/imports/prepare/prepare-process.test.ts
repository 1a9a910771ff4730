import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from '@nmp/formats/finding'
import { expect } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { hasProc, testWhere } from '../../../../fixtures/test-where.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { createFixtureImport, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram } from '../../../test/program.ts'
import { createJobHandlers } from '../../job-handlers.ts'
import { collectHandlers } from '../../jobs/index.ts'
import { startWorker } from '../../jobs/worker.ts'
import { prepareInProcess } from './prepare-process.ts'

testWhere(hasProc)(
  'a source that takes more processor time than its bytes are given is stopped, and told',
  async () => {
    const targetFolder = await mkdtemp(join(tmpdir(), 'nmp-prepare-'))
    const sourceFolder = join(getFixture('hdf5'), 'agilex_paths')
    const findings: Finding[] = []
    try {
      const preparing = prepareInProcess(
        { topFolder: sourceFolder, targetFolder, options: {}, maxHdf5Bytes: 1e9, maxUnpackedBytes: 1e9, cutOffs: {} },
        { baseSeconds: 0, secondsPerMegabyte: 0, sourceBytes: 5000 },
        {
          signal: new AbortController().signal,
          onUnpacking: () => undefined,
          onPhase: () => undefined,
          onProgress: () => undefined,
          onLearned: (learned) => void findings.push(...(learned.findings ?? [])),
        },
      )
      const sentence = expect.stringContaining('took more than the 0 processor seconds that 5000 bytes are given')
      await expect(preparing).rejects.toMatchObject({ code: 'parser_cpu', message: sentence })
      expect(findings).toContainEqual(expect.objectContaining({ rule: 'file-unreadable', severity: 'error', sentence }))
    } finally {
      await rm(targetFolder, { recursive: true, force: true })
    }
  },
)

testWhere(hasProc)(
  'the report of such an import has it as a finding, after one attempt',
  async () => {
    const database = await createTestDatabase()
    const program = await startProgram({}, database)
    const { db, connection } = database
    const { context } = program
    // Less than none, whatever the bytes of the source add.
    const config = { ...context.config, NMP_IMPORT_CPU_SECONDS: -1000 }
    const handlers = collectHandlers(createJobHandlers({ ...context, config }))
    const worker = startWorker({ db, connection, handlers, log: context.log, concurrency: 1, settings: {} })
    try {
      const bearer = await program.signIn(await program.addUser('ada@example.org'))
      const place = { org: 'ada', project: 'default' }
      const folder = getFixture('lerobot/recorded-v2.1')
      const { id } = await createFixtureImport(program, bearer, { ...place, slug: 'busy', folder })
      const job = await waitForImport(program, bearer, place, id)
      const sentence = expect.stringMatching(/took more than the -\d+ processor seconds that \d+ bytes are given/)
      expect(job).toMatchObject({ status: 'failed', attempt_count: 1, error_message: sentence })
      const { body } = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${id}/report`, { bearer })
      expect(body.item.findings).toContainEqual(expect.objectContaining({ rule: 'file-unreadable', sentence }))
    } finally {
      await worker.stop(0)
      await program.close()
    }
  },
  60_000,
)
