import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { writers } from '../../../formats/src/writers/index.ts'
import { describeMachine, resultFolder, writeResult } from './campaign-result.ts'
import { writeToPage } from './docs-page.ts'
import type { CampaignOptions } from './options.ts'

const run = promisify(execFile)
const slice = join(import.meta.dirname, '../targets/target-slice.ts')

/** What the reader of a target said of one source. */
interface Reading {
  readonly target: string
  readonly source: string
  readonly settings: string
  readonly isRead: boolean
  readonly said: string
}

/** Kinds of sources that the table has to have for every target. */
const sources = ['two-cameras', 'no-camera', 'depth', 'bimanual', 'hdf5']

/**
 * Every target of the registry from every kind of source, read whole by the tool that people read it with: rows equal, pictures those
 * of the source, bar codes right. A target that nobody reads here fails the campaign, so that a new one cannot be forgotten.
 */
export const campaignTargets = async ({ seed, scale, only }: CampaignOptions): Promise<boolean> => {
  const python = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python')
  // LeRobot v3 itself is what they are held against; .ci/python and the campaign `exports` hold that against lerobot.
  const targets = writers.filter(({ artifactKey }) => artifactKey !== undefined && artifactKey !== 'lerobot')
  const wanted = targets.filter(({ name }) => only === undefined || name === only)
  const readings: Reading[] = only === undefined ? [] : await findOthers(only)
  for (const { name } of wanted) readings.push(...(await readTarget(python, name)))
  const missing = targets.flatMap(({ name }) => {
    const lacking = sources.filter((source) => !readings.some((one) => one.target === name && one.source === source))
    return lacking.map((source) => `${name} was not read from ${source}.`)
  })
  for (const sentence of missing) console.log(sentence)
  const passed = missing.length === 0 && readings.every(({ isRead }) => isRead)
  const order = (target: string) => targets.findIndex(({ name }) => name === target)
  readings.sort((one, other) => order(one.target) - order(other.target))
  const table = formatTable(readings)
  console.log(table)
  await writeResult({ campaign: 'targets', passed, seed, scale, ...describeMachine(), missing, readings })
  await writeToPage('targets.md', 'proof', table)
  console.log(passed ? 'passed' : 'FAILED')
  return passed
}

/** What the newest result says of the targets that are not asked for. */
async function findOthers(only: string): Promise<Reading[]> {
  const names = (await readdir(resultFolder)).filter((name) => /^targets-[\d-]+\.json$/.test(name)).toSorted()
  const newest = names.at(-1)
  if (newest === undefined) return []
  const { readings } = JSON.parse(await readFile(join(resultFolder, newest), 'utf8')) as { readings: Reading[] }
  return readings.filter(({ target }) => target !== only)
}

async function readTarget(python: string, target: string): Promise<Reading[]> {
  const env = { ...process.env, OMP_NUM_THREADS: '1', TF_CPP_MIN_LOG_LEVEL: '3', HF_HUB_OFFLINE: '1' }
  const words = ['--disable-warning=ExperimentalWarning', slice, python, target]
  const { stdout } = await run(process.execPath, words, { env, maxBuffer: 64 * 1024 * 1024 }).catch(
    (failure: { stdout: string; stderr: string }) => {
      console.log(failure.stderr.slice(-4000))
      return failure
    },
  )
  process.stdout.write(stdout)
  return stdout.split('\n').flatMap((line) => {
    const [, verdict, name = '', source = '', settings = '', said = ''] =
      /^(ok|FAILED) (\S+) of (\S+) (\{.*?\}): (.*)$/.exec(line) ?? []
    return verdict ? [{ target: name, source, settings, isRead: verdict === 'ok', said }] : []
  })
}

function formatTable(readings: readonly Reading[]): string {
  const columns = [...new Set(readings.map(({ source }) => source))]
  const rows = [...Map.groupBy(readings, ({ target, settings }) => `${target} ${settings}`)].map(([, cells]) => {
    const shown = columns.map((source) => {
      const cell = cells.find((one) => one.source === source)
      return cell ? (cell.isRead ? cell.said : `FAILED: ${cell.said}`) : '-'
    })
    const [first] = cells
    const title = first?.settings === '{}' ? `\`${first.target}\`` : `\`${first?.target}\` \`${first?.settings}\``
    return `| ${[title, ...shown].join(' | ')} |`
  })
  return [`| target | ${columns.join(' | ')} |`, `| --- |${columns.map(() => ' --- |').join('')}`, ...rows].join('\n')
}
