import { loadavg } from 'node:os'
import { cleanUp, makeFolder, startProgram } from '../../e2e/program.ts'
import type { BenchRow } from './row.ts'

const boundSeconds = 3
const rounds = 5

/** From `npm start` to an answered request, npm included, on a data folder that is set up. The peer is the bound we promise. */
export const benchStart = async (): Promise<BenchRow[]> => {
  try {
    const dataDir = await makeFolder()
    const first = await measureStart(dataDir)
    const again: number[] = []
    for (let round = 0; round < rounds; round += 1) again.push(await measureStart(dataDir))
    again.sort((one, other) => one - other)
    const median = again[rounds >> 1] ?? Number.NaN
    return [
      {
        name: 'npm start on an existing data folder, to the first answer',
        ours: `${median.toFixed(2)} s`,
        peer: `${boundSeconds.toFixed(2)} s, the bound`,
        ratio: median / boundSeconds,
        goal: 'below 1',
        met: median < boundSeconds,
        note: `median of ${rounds}, best ${again[0]?.toFixed(2)} s, worst ${again.at(-1)?.toFixed(2)} s; on a new folder, with initdb and migrations, ${first.toFixed(2)} s; load average ${loadavg()[0]?.toFixed(1)}`,
      },
    ]
  } finally {
    await cleanUp()
  }
}

const measureStart = async (dataDir: string): Promise<number> => {
  const begun = performance.now()
  const program = await startProgram({ dataDir })
  const { status } = await program.call('GET', '/api/v1/version')
  const seconds = (performance.now() - begun) / 1000
  if (status !== 200) throw new Error(`The version route answered ${status}.`)
  await program.stop()
  return seconds
}
