import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixtureImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { writeSource } from '../../../test/written-source.ts'
import { claimJobs } from '../../jobs/statements/claim-jobs.ts'
import { releaseJob } from '../../jobs/statements/release-job.ts'
import { reportProgress } from '../../jobs/statements/report-progress.ts'
import { startProgress } from '../progress.ts'
import { importJobKind } from '../service.ts'

let program: TestProgram
let bearer: string
beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
}, 60_000)
afterAll(() => program.close())

test('a percentage is not there before the size is known, and a second attempt does not take it back', async () => {
  const place = { org: 'ada', project: 'default' }
  const folder = await writeSource({ lengths: [4] })
  const { id } = await createFixtureImport(program, bearer, { ...place, slug: 'slow', folder })
  const { db } = program.context
  const look = async () => {
    const { body } = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${id}`, { bearer })
    const { progress_pct: pct, progress_phase: phase, progress_message: message, status } = body.item
    return { pct, phase, message, status }
  }
  /** An attempt that a worker would make, up to a point: what it reports is written at once, one after the other as a worker does. */
  const attempt = async (number: number, work: (board: ReturnType<typeof startProgress>) => void) => {
    const [job] = await claimJobs(db, {
      workerName: 'test',
      deadlineSecondsByKind: { [importJobKind]: 60 },
      leaseSeconds: 60,
      maxRunningPerOrg: 5,
      count: 1,
    })
    if (!job) throw new Error('nothing to claim')
    const claim = { id: job.id, epoch: job.claimEpoch }
    let written: Promise<unknown> = Promise.resolve()
    const board = startProgress((progress) => {
      written = written.then(() => reportProgress(db, claim, progress))
    }, number)
    work(board)
    board.stop()
    await written
    const seen = await look()
    await releaseJob(db, claim)
    return seen
  }
  expect(await look()).toMatchObject({ pct: null, status: 'queued' })
  const first = await attempt(1, (board) => {
    board.enter('fetch')
    board.advance(500, null, '0.5 MB are fetched.')
  })
  expect(first).toEqual({ pct: null, phase: 'fetch', message: '0.5 MB are fetched.', status: 'running' })
  const second = await attempt(2, (board) => {
    board.enter('fetch')
    board.advance(1, 2)
    board.enter('convert')
    board.advance(1, 2, '1 of 2 episodes are written.')
  })
  expect(second.pct).toBeGreaterThan(50)
  const third = await attempt(3, (board) => {
    board.enter('fetch')
    board.advance(1, 100)
  })
  expect(third).toEqual({
    pct: second.pct,
    phase: 'fetch',
    message: 'Attempt 3: Fetching the source.',
    status: 'running',
  })
  expect((await look()).pct).toBe(second.pct)
})
