import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { waitUntil } from '../test/wait-until.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

const entry = new URL('../test/dying-worker.ts', import.meta.url)

let worker: WorkerProcess | undefined
afterEach(() => worker?.stop())

/** Runs workers that live for `lives` seconds until `ends` of them have ended; answers what the log said of each. */
async function watchEnds(lives: number, ends: number, wellSeconds: number) {
  const said: Record<string, unknown>[] = []
  const lost: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      said.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const ended = () => said.filter(({ msg }) => String(msg).startsWith('the worker ended'))
  worker = startWorkerProcess({
    begin: { kind: 'begin', connection: { connectionString: '' }, publicUrl: JSON.stringify({ lives }), commit: null },
    log: pino({ base: null }, destination),
    onLost: async (name) => void lost.push(name),
    restarts: { baseSeconds: 0.02, capSeconds: 0.08, wellSeconds },
    entry,
  })
  await waitUntil(async () => ended().length >= ends || undefined)
  await worker.stop()
  return { ended: ended().slice(0, ends), lost: lost.slice(0, ends) }
}

test('a worker that dies again and again is started later each time, up to a bound, and each end is told', async () => {
  const { ended, lost } = await watchEnds(0, 5, 60)
  expect(ended.map(({ waitSeconds }) => waitSeconds)).toEqual([0.02, 0.04, 0.08, 0.08, 0.08])
  expect(ended[0]).toMatchObject({ level: 50, code: 3, signal: null, ranSeconds: 0, worker: lost[0] })
  expect(new Set(lost).size).toBe(5)
})

test('after one that ran well the wait is the first again', async () => {
  const { ended } = await watchEnds(0.3, 3, 0.1)
  expect(ended.map(({ waitSeconds }) => waitSeconds)).toEqual([0.02, 0.02, 0.02])
})

test('one that is told to stop is not started again', async () => {
  const said: string[] = []
  const destination = new Writable({ write: (chunk, _encoding, done) => done(void said.push(String(chunk))) })
  worker = startWorkerProcess({
    begin: { kind: 'begin', connection: { connectionString: '' }, publicUrl: '{"lives":3600}', commit: null },
    log: pino({ base: null }, destination),
    onLost: () => Promise.reject(new Error('nothing was lost')),
    entry,
  })
  await waitUntil(async () => worker?.isRunning() || undefined)
  await worker.stop()
  expect([worker.isRunning(), worker.restartCount(), said]).toEqual([false, 0, []])
  expect(await worker.readMetrics()).toBe('')
})
