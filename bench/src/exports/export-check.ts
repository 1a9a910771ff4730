import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { offlineEnv, python, torchcodecEnv } from '../lerobot.ts'
import type { MatrixCase } from './export-matrix.ts'
import type { ExportSetup } from './export-setup.ts'

const run = promisify(execFile)
const scripts = join(import.meta.dirname, '../../../server/test/python')

export interface LeRobotVerdict {
  checked: number
  streamed: number
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
    return { checked: 0, streamed: 0, failed: [], trained: [], edited: [], note }
  }
  const lines: string[] = []
  for (const { name, source, recipe, annotations, version } of made) {
    const target = join(folder, name)
    const { url } = await setup.call('GET', `${setup.versionsPath}/${version}/artifacts/lerobot/download-url`)
    await mkdir(target, { recursive: true })
    await run('sh', ['-c', 'curl -sf "$0" | tar -xf - -C "$1" --strip-components=1', url, target])
    const whole = join(folder, `${source.name}/whole`)
    const original = source.isLeRobot ? source.folder : null
    const facts = { name, folder: target, source: whole, original, recipe, annotations, bar_codes: source.barCodes }
    lines.push(JSON.stringify(facts))
  }
  await writeFile(join(folder, 'exports.jsonl'), `${lines.join('\n')}\n`)
  const list = join(folder, 'exports.jsonl')
  const said = await listen(['export_loads.py', list, '--tools', join(folder, 'tools'), '--train'], offlineEnv(folder))
  const streamed = await listen(['export_streams.py', list, '--moved', join(folder, 'moved')], torchcodecEnv(folder))
  const failed = [...said.lines, ...streamed.lines].filter((line) => line.startsWith('FAILED'))
  if (said.lines.length < made.length)
    failed.push(`FAILED only ${said.lines.length} of ${made.length} were looked at: ${said.errors}`)
  if (streamed.lines.length === 0) failed.push(`FAILED none was streamed: ${streamed.errors}`)
  const having = (words: string) => said.lines.filter((line) => line.includes(words))
  const verdict = { checked: said.lines.length, streamed: streamed.lines.length, failed }
  return { ...verdict, trained: having('one ACT step'), edited: having(', edited') }
}

/** What a script says of each export, told as it is heard, and the end of what it complains of. */
async function listen([script = '', ...words]: string[], env: NodeJS.ProcessEnv) {
  const answer = await run(python, [join(scripts, script), ...words], { env, maxBuffer: 1 << 28 }).catch(
    (error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout ?? '', stderr: error.stderr ?? '' }),
  )
  const told = answer.stdout.split('\n').filter((line) => /^(ok|FAILED|measured)/.test(line))
  for (const line of told) console.log(line)
  return { lines: told.filter((line) => /^(ok|FAILED)/.test(line)), errors: answer.stderr.slice(-2000) }
}
