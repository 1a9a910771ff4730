import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { checkout, cleanUp, makeFolder } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { writeToPage } from './docs-page.ts'
import { openContainers } from './fleet/containers/container-machines.ts'
import { listFaults } from './fleet/faults.ts'
import { openFleet } from './fleet/fleet.ts'
import { renderTable } from './fleet/seen.ts'
import { tryFleet } from './fleet/trial.ts'
import { campaignKubernetes } from './kubernetes.ts'
import type { CampaignOptions } from './options.ts'
import { measureDownloads } from './servers/bucket-downloads.ts'
import { tryCompose } from './servers/compose.ts'
import { campaignTables } from './tables.ts'

interface PartResult extends Record<string, unknown> {
  passed: boolean
}

/**
 * deploy/ in a real container engine, as an operator meets it: one container, compose, a fleet under every fault, what is refused at the
 * start, the chart, and the tables at size. `--only PATTERN` has some parts, by their names (`^compose`), or some faults of the fleet
 * (`fleet: an API`); `--scale 0.25` cuts and pauses of a quarter of a minute, and a quarter of the tables. Needs root, and what
 * `.ci/containers` needs, by which it starts itself where it was not.
 */
export const campaignServers = async (options: CampaignOptions): Promise<boolean> => {
  const image = process.env.NMP_TEST_IMAGE
  if (!image) return runInEngine()
  const { seed, scale, only } = options
  execFileSync(join(checkout, '.ci/base-images'), ['node', 'postgres', 'objects', 'proxy'], { stdio: 'inherit' })
  const isChosen = (what: string): boolean => !only || new RegExp(only).test(what)
  const parts: Record<string, () => Promise<PartResult>> = {
    'one container': () => runTests('npm', 'run', '-s', 'test:containers'),
    compose: () => tryCompose(image),
    fleet: () => runFleet(image, scale, (what) => isChosen('fleet') || isChosen(`fleet: ${what}`)),
    'bad starts': () => runTests('npm', 'test', '--', 'server/test/bad-starts.test.ts'),
    kubernetes: async () => ({ passed: await campaignKubernetes(options) }),
    tables: async () => ({ passed: await campaignTables(options) }),
  }
  const hasFaults = listFaults(0).some(({ what }) => isChosen(`fleet: ${what}`))
  const results: Record<string, PartResult> = {}
  try {
    for (const [name, run] of Object.entries(parts)) {
      if (!isChosen(name) && !(name === 'fleet' && hasFaults)) continue
      const began = Date.now()
      console.log(`== ${name}`)
      const found = await run().catch((error: Error): PartResult => ({ passed: false, error: String(error.stack) }))
      results[name] = { ...found, partSeconds: Math.round((Date.now() - began) / 1000), load: loadavg()[0] }
      console.log(`== ${name} ${found.passed ? 'passed' : `FAILED: ${found.error ?? ''}`}`)
    }
  } finally {
    await cleanUp()
  }
  const passed = Object.values(results).every((result) => result.passed)
  const engine = execFileSync('docker', ['version', '--format', '{{.Server.Version}}'], { encoding: 'utf8' }).trim()
  await writeResult({
    campaign: only ? 'servers-some' : 'servers',
    passed,
    seed,
    scale,
    ...describeMachine(),
    engine,
    parts: results,
  })
  console.log(passed ? 'passed' : 'FAILED')
  return passed
}

/** The engine is started, the image built, and this campaign run again; where no engine can run, it has not passed. */
async function runInEngine(): Promise<boolean> {
  const mark = join(await makeFolder(), 'passed')
  const script = '"$@" && touch "$0"'
  const words = ['sh', '-c', script, mark, 'npm', 'run', '-s', 'campaign', '--', ...process.argv.slice(2)]
  spawnSync(join(checkout, '.ci/containers'), words, { stdio: 'inherit', cwd: checkout })
  const passed = existsSync(mark)
  await cleanUp()
  return passed
}

async function runTests(program: string, ...words: string[]): Promise<PartResult> {
  const { status, stdout } = spawnSync(program, words, {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = stdout.trim()
  console.log(said)
  return { passed: status === 0, said: / *Tests .*/.exec(said)?.[0].trim() ?? '' }
}

async function runFleet(image: string, scale: number, isChosen: (what: string) => boolean): Promise<PartResult> {
  const machines = await openContainers(image)
  try {
    const fleet = await openFleet(machines)
    console.log(`the fleet is ready; its logs are in ${fleet.folder}`)
    const trial = await tryFleet(fleet, { scale, isChosen })
    if (listFaults(0).every(({ what }) => isChosen(what)))
      await writeToPage('operating.md', 'servers', renderTable(trial.seen))
    const downloads = await measureDownloads(machines, fleet)
    return { ...trial, passed: trial.passed && downloads.passed, downloads }
  } finally {
    await machines.close()
  }
}
