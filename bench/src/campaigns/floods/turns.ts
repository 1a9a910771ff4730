import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder, type Program, type StartOptions, startProgram } from '../../../../e2e/program.ts'

/** What one turn of the loop that answers everybody may take of a processor. */
export const longestTurnMs = 50

export interface MeteredProgram extends Program {
  /** The longest turn of the API's loop since then, in milliseconds of a processor. */
  findLongestTurn(since: number): Promise<number>
}

/** The program with `turns-entry.ts` in it. */
export async function startMetered(options: StartOptions = {}): Promise<MeteredProgram> {
  const file = join(await makeFolder(), 'turns')
  const entry = new URL('./turns-entry.ts', import.meta.url)
  const env = { ...options.env, NODE_OPTIONS: `--import=${entry}`, NMP_TURNS_FILE: file }
  const program = await startProgram({ ...options, env })
  const api = await program.findProcess('api')
  return {
    ...program,
    async findLongestTurn(since) {
      // The stretch that is not told yet.
      await sleep(300)
      const lines = (await readFile(`${file}.${api}`, 'utf8').catch(() => '')).split('\n')
      const turns = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= since)
      return Math.round(Math.max(0, ...turns.map(([, milliseconds = 0]) => milliseconds)))
    },
  }
}
