import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp, type Program } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { writeToPage } from './docs-page.ts'
import { families } from './hostile/families.ts'
import { type HostileGround, openGround } from './hostile/ground.ts'
import { renderTable } from './hostile/table.ts'
import type { Family, FamilyResult, Verdict } from './hostile/verdict.ts'
import type { CampaignOptions } from './options.ts'

/**
 * What strangers send, family by family, to the program as it is started by default: writes the table in docs/security.md. `--only REGEX`
 * runs some families again, by name, and takes the rest of the table from the newest result.
 */
export const campaignHostile = async ({ scale, only, seed, seconds }: CampaignOptions): Promise<boolean> => {
  const machine = describeMachine()
  const ground = await openGround({ scale, seed, seconds })
  try {
    const results: FamilyResult[] = []
    for (const family of families.filter(({ name }) => new RegExp(only ?? '').test(name)))
      results.push({ ...(await runFamily(ground, family)), ...pick(machine), scale, seed })
    results.push({ ...judgeProgram(ground.program, await ground.program.stop()), ...pick(machine), scale, seed })
    for (const { name, verdicts } of results)
      for (const fallen of verdicts.filter(({ held }) => !held))
        console.log(`FELL   ${name}: ${fallen.name}: ${fallen.words}`)
    const known = only ? await readNewest() : []
    const all = [...families.map(({ name }) => name), programName].flatMap(
      (name) => [...results, ...known].find((one) => one.name === name) ?? [],
    )
    const passed = all.every(({ verdicts }) => verdicts.every(({ held }) => held))
    const whole = Math.max(...all.map((family) => family.scale))
    await writeResult({ campaign: 'hostile', passed, ...machine, scale: whole, families: all })
    await writeToPage('security.md', 'hostile', renderTable(all))
    return passed
  } finally {
    ground.source.close()
    await cleanUp()
  }
}

const pick = ({ date, commit }: { date: string; commit: string }) => ({ date, commit })

/** Of the newest run, whole or in parts. */
async function readNewest(): Promise<FamilyResult[]> {
  const folder = join(import.meta.dirname, '../../results')
  const name = (await readdir(folder))
    .filter((file) => /^hostile-[\d-]+\.json$/.test(file))
    .sort()
    .at(-1)
  return name ? (JSON.parse(await readFile(join(folder, name), 'utf8')) as { families: FamilyResult[] }).families : []
}

type Outcome = Omit<FamilyResult, 'date' | 'commit' | 'scale' | 'seed'>

async function runFamily(ground: HostileGround, { name, title, bar, run }: Family): Promise<Outcome> {
  const start = performance.now()
  const pulse = watchReadiness(ground.program)
  ground.leftOut = 0
  const verdicts: Verdict[] = []
  const keep = (verdict: Verdict): void => {
    verdicts.push(verdict)
    console.log(`${verdict.held ? 'held  ' : 'FELL  '} ${name}: ${verdict.name}: ${verdict.words}`)
  }
  try {
    for await (const verdict of run(ground)) keep(verdict)
  } catch (error) {
    keep({ name: 'the family was run to its end', held: false, words: String(error) })
  }
  const { longestMs, asked, failures } = await pulse.stop()
  const words = [`${asked - failures.length} of ${asked}`, ...new Set(failures)].join(', ')
  keep({ name: 'others are answered meanwhile', held: failures.length <= asked * mostUnready, words })
  const seconds = Math.round((performance.now() - start) / 1000)
  console.log(`${name}: ${verdicts.filter(({ held }) => held).length} of ${verdicts.length} held, ${seconds} s`)
  return { name, title, bar, seconds, longestReadyMs: Math.round(longestMs), verdicts, leftOut: ground.leftOut }
}

const programName = 'program'

/** The same program to the end: it said nothing of an error of its own, and ends as it should. */
function judgeProgram(program: Program, code: number): Outcome {
  const errors = program.output().match(/^\{"level":(?:50|60).*$/gm) ?? []
  const verdicts = [
    { name: 'it ends when it is told to', held: code === 0, words: `exit code ${code}` },
    { name: 'it logged no error of its own', held: errors.length === 0, words: errors[0]?.slice(0, 300) ?? 'none' },
  ]
  return {
    name: programName,
    title: 'the program at the end',
    bar: 'the same process, without an error in its log',
    seconds: 0,
    longestReadyMs: 0,
    verdicts,
    leftOut: 0,
  }
}

const pulseMs = 250
/** As for floods: one of a hundred tries may fail. */
const mostUnready = 0.01

/** Somebody else who asks all the time whether the program answers. */
function watchReadiness(program: Program) {
  let isRunning = true
  let longestMs = 0
  let asked = 0
  const failures: string[] = []
  const ask = async (): Promise<void> => {
    while (isRunning) {
      const start = performance.now()
      asked += 1
      try {
        const { status } = await program.call('GET', '/readyz')
        if (status !== 200) failures.push(`/readyz gave ${status}`)
      } catch (error) {
        failures.push(error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error))
      }
      longestMs = Math.max(longestMs, performance.now() - start)
      await sleep(pulseMs)
    }
  }
  const asking = ask()
  return {
    async stop() {
      isRunning = false
      await asking
      return { longestMs, asked, failures }
    },
  }
}
