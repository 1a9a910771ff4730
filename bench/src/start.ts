import { loadavg } from 'node:os'
import { cleanUp, makeFolder, startProgram } from '../../e2e/program.ts'
import type { BenchRow } from './row.ts'

const boundSeconds = 3
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
    return [
      {
        name: 'npm start on an existing data folder, to the first answer',
        ours: `${existing.toFixed(2)} s`,
        peer: `${boundSeconds.toFixed(2)} s, the bound`,
        ratio: existing / boundSeconds,
        goal: 'below 1',
        met: existing < boundSeconds,
        note: `median of ${rounds}, best ${Math.min(...againApart).toFixed(2)} s, worst ${Math.max(...againApart).toFixed(2)} s; on a new folder, with initdb and migrations, ${fresh.toFixed(2)} s; ${load}`,
      },
      compare('an existing data folder', existing, median(againTogether)),
      compare('a new data folder', fresh, median(newTogether)),
    ]
  } finally {
    await cleanUp()
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

const measureStart = async (dataDir: string, workers: string): Promise<number> => {
  const begun = performance.now()
  const program = await startProgram({ dataDir, env: { NMP_WORKER_PROCESSES: workers } })
  const { status } = await program.call('GET', '/api/v1/version')
  const seconds = (performance.now() - begun) / 1000
  if (status !== 200) throw new Error(`The version route answered ${status}.`)
  await program.stop()
  return seconds
}
