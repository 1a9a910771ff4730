import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp, type Program } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { writeToPage } from './docs-page.ts'
import { families } from './hostile/families.ts'
import { openGround } from './hostile/ground.ts'
import { renderTable } from './hostile/table.ts'
import type { FamilyResult, Verdict } from './hostile/verdict.ts'
import type { CampaignOptions } from './options.ts'

/**
 * What strangers send, family by family, to the program as it is started by default: writes the table in docs/security.md. `--only REGEX`
 * takes some families by name and writes nothing.
 */
export const campaignHostile = async ({ scale, only, seed }: CampaignOptions): Promise<boolean> => {
  const ground = await openGround({ scale, seed })
  try {
    const results: FamilyResult[] = []
    for (const { name, title, bar, run } of families.filter((family) => new RegExp(only ?? '').test(family.name))) {
      const start = performance.now()
      const pulse = watchReadiness(ground.program)
      const verdicts: Verdict[] = []
      try {
        for await (const verdict of run(ground)) {
          verdicts.push(verdict)
          console.log(`${verdict.held ? 'held  ' : 'FELL  '} ${name}: ${verdict.name}: ${verdict.words}`)
        }
      } catch (error) {
        verdicts.push({ name: 'the family was run to its end', held: false, words: String(error) })
      }
      const { longestMs, failures } = await pulse.stop()
      verdicts.push({
        name: 'others are answered meanwhile',
        held: failures.length === 0,
        words: failures.length === 0 ? 'always' : failures.slice(0, 3).join(', '),
      })
      const seconds = Math.round((performance.now() - start) / 1000)
      results.push({ name, title, bar, seconds, longestReadyMs: Math.round(longestMs), verdicts })
      console.log(`${name}: ${verdicts.filter(({ held }) => held).length} of ${verdicts.length} held, ${seconds} s`)
    }
    results.push(judgeProgram(ground.program, await ground.program.stop()))
    const passed = results.every(({ verdicts }) => verdicts.every(({ held }) => held))
    for (const { name, verdicts } of results)
      for (const { name: one, words } of verdicts.filter(({ held }) => !held))
        console.log(`FELL   ${name}: ${one}: ${words}`)
    if (!only) {
      await writeResult({ campaign: 'hostile', passed, seed, scale, ...describeMachine(), families: results })
      if (scale === 1) await writeToPage('security.md', 'hostile', renderTable(results))
    }
    return passed
  } finally {
    ground.source.close()
    await cleanUp()
  }
}

/** The same program to the end: it said nothing of an error of its own, and ends as it should. */
function judgeProgram(program: Program, code: number): FamilyResult {
  const errors = program.output().match(/^\{"level":(?:50|60).*$/gm) ?? []
  const verdicts = [
    { name: 'it ends when it is told to', held: code === 0, words: `exit code ${code}` },
    { name: 'it logged no error of its own', held: errors.length === 0, words: errors[0]?.slice(0, 300) ?? 'none' },
  ]
  return {
    name: 'program',
    title: 'the program at the end',
    bar: 'the same process, without an error in its log',
    seconds: 0,
    longestReadyMs: 0,
    verdicts,
  }
}

const pulseMs = 250

/** Somebody else who asks all the time whether the program answers. */
function watchReadiness(program: Program) {
  let isRunning = true
  let longestMs = 0
  const failures: string[] = []
  const ask = async (): Promise<void> => {
    while (isRunning) {
      const start = performance.now()
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
  const asked = ask()
  return {
    async stop() {
      isRunning = false
      await asked
      return { longestMs, failures }
    },
  }
}
