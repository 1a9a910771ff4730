import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MatrixCase } from './export-matrix.ts'
import type { ExportSetup } from './export-setup.ts'
import { offlineEnv, python } from './lerobot.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../server/test/python/export_loads.py')

export interface LeRobotVerdict {
  checked: number
  failed: string[]
  trained: string[]
  edited: string[]
  note?: string
}

/** Unpacks each tar as a stranger would and lets stock lerobot and numpy say what they find. Every source's `whole` must be there. */
export async function holdAgainstLeRobot(
  setup: ExportSetup,
  made: readonly (MatrixCase & { version: string })[],
  folder: string,
): Promise<LeRobotVerdict> {
  if (!existsSync(python)) {
    const note = 'skipped: no lerobot 0.6.1; `.ci/install-python` makes it'
    console.log(note)
    return { checked: 0, failed: [], trained: [], edited: [], note }
  }
  const lines: string[] = []
  for (const { name, source, recipe, annotations, version } of made) {
    const target = join(folder, name)
    const { url } = await setup.call('GET', `${setup.versionsPath}/${version}/artifacts/lerobot/download-url`)
    await mkdir(target, { recursive: true })
    await run('sh', ['-c', 'curl -sf "$0" | tar -xf - -C "$1"', url, target])
    const whole = join(folder, `${source.name}/whole`)
    const original = source.isLeRobot ? source.folder : null
    const facts = { name, folder: target, source: whole, original, recipe, annotations, bar_codes: source.barCodes }
    lines.push(JSON.stringify(facts))
  }
  await writeFile(join(folder, 'exports.jsonl'), `${lines.join('\n')}\n`)
  const args = [script, join(folder, 'exports.jsonl'), '--tools', join(folder, 'tools'), '--train']
  const answer = await run(python, args, { env: offlineEnv(folder), maxBuffer: 1 << 28 }).catch(
    (error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout ?? '', stderr: error.stderr ?? '' }),
  )
  const said = answer.stdout.split('\n').filter((line) => /^(ok|FAILED)/.test(line))
  for (const line of said) console.log(line)
  const failed = said.filter((line) => line.startsWith('FAILED'))
  if (said.length < made.length)
    failed.push(`only ${said.length} of ${made.length} were looked at: ${answer.stderr.slice(-2000)}`)
  const having = (words: string) => said.filter((line) => line.includes(words))
  return { checked: said.length, failed, trained: having('one ACT step'), edited: having(', edited') }
}
