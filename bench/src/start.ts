import { loadavg } from 'node:os'
import { cleanUp, makeFolder, startProgram } from '../../e2e/program.ts'
import type { BenchRow } from './row.ts'
import { median } from './timing.ts'

const bounds = { existing: 1.5, fresh: 4 }
const rounds = 5
const newRounds = 3
/** The worker is a process of its own unless told otherwise; it starts once the API listens. */
const boundRatio = 1.1

/**
 * From `npm start` to an answered request, npm included: on a data folder that is set up and on a new one, with the worker in a process
 * of its own and without, in turns. The peer is the bound we promise, and the program in one process.
 */
export const benchStart = async (): Promise<BenchRow[]> => {
  try {
    const [apart, together] = [
      { folder: await makeFolder(), workers: '1' },
      { folder: await makeFolder(), workers: '0' },
    ]
    const [newApart, newTogether]: [number[], number[]] = [[], []]
    for (let round = 0; round < newRounds; round += 1) {
      const isLast = round === newRounds - 1
      newApart.push(await measureStart(isLast ? apart.folder : await makeFolder(), apart.workers))
      newTogether.push(await measureStart(isLast ? together.folder : await makeFolder(), together.workers))
    }
    const [againApart, againTogether]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      againApart.push(await measureStart(apart.folder, apart.workers))
      againTogether.push(await measureStart(together.folder, together.workers))
    }
    const [existing, fresh] = [median(againApart), median(newApart)]
    const load = `load average ${loadavg()[0]?.toFixed(1)}`
    const compare = (where: string, ours: number, peer: number): BenchRow => ({
      name: `npm start on ${where}, worker in a process of its own`,
      ours: `${ours.toFixed(2)} s`,
      peer: `${peer.toFixed(2)} s, in one process`,
      ratio: ours / peer,
      goal: `at most ${boundRatio}`,
      met: ours <= peer * boundRatio,
      note: `medians of starts in turns; ${load}`,
    })
    const bound = (where: string, seconds: number[], most: number): BenchRow => ({
      name: `npm start on ${where}, to the first answer`,
      ours: `${median(seconds).toFixed(2)} s`,
      peer: `${most} s, the bound`,
      ratio: median(seconds) / most,
      goal: 'at most 1',
      met: median(seconds) <= most,
      note: `median of ${seconds.length}, best ${Math.min(...seconds).toFixed(2)} s, worst ${Math.max(...seconds).toFixed(2)} s; ${load}`,
    })
    return [
      bound('an existing data folder', againApart, bounds.existing),
      bound('a new data folder, with initdb and migrations', newApart, bounds.fresh),
      compare('an existing data folder', existing, median(againTogether)),
      compare('a new data folder', fresh, median(newTogether)),
    ]
  } finally {
    await cleanUp()
  }
}

const measureStart = async (dataDir: string, workers: string): Promise<number> => {
  const begun = performance.now()
  const program = await startProgram({ dataDir, env: { NMP_WORKER_PROCESSES: workers } })
  const { status } = await program.call('GET', '/api/v1/version')
  const seconds = (performance.now() - begun) / 1000
  if (status !== 200) throw new Error(`The version route answered ${status}.`)
  await program.stop()
  return seconds
}
