import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cleanUp, makeFolder } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { type Door, openDoor } from './clients/door.ts'
import { type Environment, openEnvironments } from './clients/environments.ts'
import { runLerobot } from './clients/lerobot.ts'
import { runSuites } from './clients/suites.ts'
import { type Outcome, renderTables } from './clients/table.ts'
import { writeToPage } from './docs-page.ts'
import type { CampaignOptions } from './options.ts'

const here = join(import.meta.dirname, 'clients')

/**
 * Stock clients at the Hub door, operation by operation: writes the table in docs/hub.md. `--only CLIENT` runs some again and takes the
 * rest of the table from the newest result; `--suites` runs the tests of huggingface_hub themselves.
 */
export const campaignClients = async ({ seed, scale, only, suites }: CampaignOptions): Promise<boolean> => {
  const environments = await openEnvironments()
  const known = only && !suites ? await readOutcomes() : []
  try {
    const door = await openDoor()
    if (suites) return await runSuites(door, only)
    const outcomes: Outcome[] = []
    for (const environment of environments) {
      const { client, version } = environment
      if (only && !new RegExp(only).test(`${client} ${version}`)) {
        outcomes.push(...known.filter((one) => one.client === client && one.version === version))
        continue
      }
      const run = environment.group === 'lerobot' ? runLerobot : runOperations
      for await (const outcome of run(door, environment)) {
        outcomes.push({ client, version, ...outcome })
        console.log(
          `${outcome.isExpected ? 'ok' : 'FAILED'} ${client} ${version}: ${outcome.operation}: ${outcome.outcome} ${outcome.words}`,
        )
      }
    }
    const passed = outcomes.every(({ isExpected }) => isExpected)
    // Rows that `only` does not name are of an earlier run, and of the commit it was of.
    await writeResult({ campaign: 'clients', passed, seed, scale, only: only ?? null, ...describeMachine(), outcomes })
    await writeToPage('hub.md', 'clients', renderTables(outcomes))
    return passed
  } finally {
    await cleanUp()
  }
}

/** Of the newest whole run. */
async function readOutcomes(): Promise<Outcome[]> {
  const folder = join(import.meta.dirname, '../../results')
  const name = (await readdir(folder))
    .filter((file) => /^clients-[\d-]+\.json$/.test(file))
    .sort()
    .at(-1)
  if (!name) throw new Error('There is no result of a whole run yet: leave out --only.')
  return (JSON.parse(await readFile(join(folder, name), 'utf8')) as { outcomes: Outcome[] }).outcomes
}

type Found = Omit<Outcome, 'client' | 'version'>

/** The operations of a group, in a process with a cache of its own. */
async function* runOperations(
  { source, env }: Door,
  { client, version, home, group }: Environment,
): AsyncGenerator<Found> {
  const isJs = group === 'js'
  const words = isJs ? [join(here, 'operations.mjs'), source] : [join(here, 'operations.py'), group, source]
  const folder = await makeFolder()
  const prefix = `${client}-${version}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const child = spawn(isJs ? process.execPath : home, words, {
    cwd: isJs ? home : folder,
    env: { ...process.env, ...env, HF_HOME: folder, NMP_PREFIX: prefix },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('{')) yield JSON.parse(line)
  const [code] = await ended
  if (code !== 0) throw new Error(`the operations of ${client} ${version} ended with ${code}`)
}
