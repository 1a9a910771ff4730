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
const ownReaders = join(import.meta.dirname, '../targets/own-readers.ts')

/** What the reader of a target said of one source. */
interface Reading {
  readonly target: string
  /** A repository whose code read it, where that is no package of a registry. */
  readonly reader?: string
  readonly source: string
  readonly settings: string
  readonly isRead: boolean
  readonly said: string
}

/** What `--only` takes besides the targets: those that no registry has, alone. */
const ownOnly = 'own-readers'
/** Kinds of sources that the table has to have for every target. */
const sources = ['two-cameras', 'no-camera', 'depth', 'bimanual', 'hdf5']

/**
 * Every target of the registry from every kind of source, read whole by the tool that people read it with: rows equal, pictures those
 * of the source, bar codes right. A target that nobody reads here fails the campaign, so that a new one cannot be forgotten; what no
 * registry has is read by where it is there, and said not to be tried where it is not.
 */
export const campaignTargets = async ({ seed, scale, only }: CampaignOptions): Promise<boolean> => {
  const python = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python')
  // LeRobot v3 itself is what they are held against; .ci/python and the campaign `exports` hold that against lerobot.
  const targets = writers.filter(({ artifactKey }) => artifactKey !== undefined && artifactKey !== 'lerobot')
  const wanted = targets.filter(({ name }) => only === undefined || name === only)
  const others = only === undefined ? { readings: [], own: [] } : await findOthers(only)
  const readings = [...others.readings]
  for (const { name } of wanted) readings.push(...findReadings(await runSlice(slice, python, name)))
  const found = await readByOwners(python, only === ownOnly ? undefined : only)
  readings.push(...found.readings)
  const own = [...found.said, ...others.own.filter((line) => !found.said.some((one) => nameOf(one) === nameOf(line)))]
  const missing = targets.flatMap(({ name }) => {
    const lacking = sources.filter((source) => !readings.some((one) => isOf(one, name) && one.source === source))
    return lacking.map((source) => `${name} was not read from ${source}.`)
  })
  for (const sentence of missing) console.log(sentence)
  const passed = missing.length === 0 && readings.every(({ isRead }) => isRead)
  const order = (target: string) => targets.findIndex(({ name }) => name === target)
  readings.sort((one, other) => order(one.target) - order(other.target))
  const table = formatPage(readings, own)
  console.log(table)
  await writeResult({ campaign: 'targets', passed, seed, scale, ...describeMachine(), missing, own, readings })
  await writeToPage('targets.md', 'proof', table)
  console.log(passed ? 'passed' : 'FAILED')
  return passed
}

/** What the newest result says of the targets that are not asked for. */
async function findOthers(only: string): Promise<{ readings: Reading[]; own: string[] }> {
  const names = (await readdir(resultFolder)).filter((name) => /^targets-[\d-]+\.json$/.test(name)).toSorted()
  const newest = names.at(-1)
  if (newest === undefined) return { readings: [], own: [] }
  const result = JSON.parse(await readFile(join(resultFolder, newest), 'utf8')) as {
    readings: Reading[]
    own?: string[]
  }
  const isAsked = ({ target, reader }: Reading) => (only === ownOnly ? reader !== undefined : target === only)
  return { readings: result.readings.filter((one) => !isAsked(one)), own: result.own ?? [] }
}

/** Of `lerobot: lerobot 0cf8648`, and of `not tried lerobot: …`. */
const nameOf = (line: string) => /^(?:not tried )?([^:]*):/.exec(line)?.[1]

const isOf = ({ target, reader }: Reading, name: string) => target === name && reader === undefined

/** Once more by the code that people train with, where NMP_TARGET_READERS is a folder that has it; what was read by whom, and what not. */
async function readByOwners(python: string, only?: string): Promise<{ readings: Reading[]; said: string[] }> {
  const folder = process.env.NMP_TARGET_READERS
  if (!folder) return { readings: [], said: ['not tried: NMP_TARGET_READERS names no folder of their repositories.'] }
  const lines = await runSlice(ownReaders, python, resolve(folder), ...(only === undefined ? [] : [only]))
  const said = lines.filter((line) => /^(reader|not tried) /.test(line))
  return { readings: findReadings(lines), said: said.map((line) => line.replace(/^reader /, '')) }
}

async function runSlice(script: string, ...words: string[]): Promise<string[]> {
  const env = { ...process.env, OMP_NUM_THREADS: '1', TF_CPP_MIN_LOG_LEVEL: '3', HF_HUB_OFFLINE: '1' }
  const all = ['--disable-warning=ExperimentalWarning', script, ...words]
  const { stdout } = await run(process.execPath, all, { env, maxBuffer: 64 * 1024 * 1024 }).catch(
    (failure: { stdout: string; stderr: string }) => {
      console.log(failure.stderr.slice(-4000))
      return failure
    },
  )
  process.stdout.write(stdout)
  return stdout.split('\n')
}

function findReadings(lines: readonly string[]): Reading[] {
  return lines.flatMap((line) => {
    const [, verdict, named = '', source = '', settings = '', said = ''] =
      /^(ok|FAILED) (\S+) of (\S+) (\{.*?\}): (.*)$/.exec(line) ?? []
    const [target = '', reader] = named.split('@')
    const by = reader === undefined ? {} : { reader }
    return verdict ? [{ target, ...by, source, settings, isRead: verdict === 'ok', said }] : []
  })
}

function formatPage(readings: readonly Reading[], said: readonly string[]): string {
  const [own = [], stock = []] = [true, false].map((isOwn) =>
    readings.filter(({ reader }) => (reader !== undefined) === isOwn),
  )
  const sentence = `By code that no registry has, unchanged: ${said.join('; ')}`
  return [formatTable(stock), '', sentence, ...(own.length > 0 ? ['', formatTable(own)] : [])].join('\n')
}

function formatTable(readings: readonly Reading[]): string {
  const columns = [...new Set(readings.map(({ source }) => source))]
  const rows = [...Map.groupBy(readings, ({ target, reader, settings }) => `${target} ${reader} ${settings}`)].map(
    ([, cells]) => {
      const shown = columns.map((source) => {
        const cell = cells.find((one) => one.source === source)
        return cell ? (cell.isRead ? cell.said : `FAILED: ${cell.said}`) : '-'
      })
      const [first] = cells
      const settings = first?.settings === '{}' ? '' : ` \`${first?.settings}\``
      const title = `\`${first?.target}\`${settings}${first?.reader ? ` by ${first.reader}` : ''}`
      return `| ${[title, ...shown].join(' | ')} |`
    },
  )
  return [`| target | ${columns.join(' | ')} |`, `| --- |${columns.map(() => ' --- |').join('')}`, ...rows].join('\n')
}
