import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../../../../e2e/program.ts'
import { describeMachine, writeResult } from '../campaign-result.ts'
import { writeToPage } from '../docs-page.ts'
import type { Door } from './door.ts'
import { makePython } from './environments.ts'

const run = promisify(execFile)
const version = '2.4.0'
const suites = {
  'file system': 'test_hf_file_system',
  snapshot: 'test_snapshot_download',
  'file download': 'test_file_download',
  'Xet upload': 'test_xet_upload',
  hf_api: 'test_hf_api',
} as const
const testSeconds = 120

interface TestResult {
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  words: string
}

/**
 * The tests of huggingface_hub itself, from its sdist, pointed at the door: their models are models here. What fails and is not
 * listed with its reason in `suite-reasons.json` fails the campaign.
 */
export async function runSuites(door: Door, only: string | undefined): Promise<boolean> {
  const python = await makePython(`suite-${version}`, [
    `huggingface_hub==${version}`,
    ...['pytest==9.2.0', 'pytest-mock==3.17.0', 'pytest-timeout==2.4.0'],
    ...['jinja2==3.1.6', 'click==8.5.1', 'numpy==2.5.4', 'fastapi==0.162.4'],
  ])
  const folder = await openTests(python, door)
  const reasons = JSON.parse(await readFile(join(import.meta.dirname, 'suite-reasons.json'), 'utf8')) as Reasons
  const rows: { suite: string; results: TestResult[] }[] = []
  for (const [suite, file] of Object.entries(suites)) {
    if (only && !new RegExp(only).test(suite)) continue
    const results = await runTests(python, folder, file, door)
    rows.push({ suite, results })
    console.log(`${suite}: ${count(results, 'passed')} of ${results.length - count(results, 'skipped')}`)
  }
  const failures = rows.flatMap(({ results }) => results.filter(({ outcome }) => outcome === 'failed'))
  const unread = failures.filter(({ name }) => !findReason(reasons, name))
  for (const { name, words } of unread) console.log(`FAILED ${name}: ${words}`)
  const passed = unread.length === 0
  const figures = rows.map(({ suite, results }) => ({
    suite,
    passed: count(results, 'passed'),
    failed: count(results, 'failed'),
    skipped: count(results, 'skipped'),
  }))
  const listed = failures.map(({ name, words }) => ({ name, words, reason: findReason(reasons, name) ?? null }))
  await writeResult({
    campaign: 'client-suites',
    passed,
    scale: only ? 0 : 1,
    ...describeMachine(),
    figures,
    failures: listed,
  })
  if (!only) await writeToPage('hub.md', 'suites', renderFigures(figures, listed))
  return passed
}

/** A reason, and the tests it explains, by patterns. */
type Reasons = Record<string, string[]>

const findReason = (reasons: Reasons, name: string): string | undefined =>
  Object.entries(reasons).find(([, patterns]) => patterns.some((pattern) => new RegExp(pattern).test(name)))?.[0]

const count = (results: readonly TestResult[], outcome: TestResult['outcome']): number =>
  results.filter((result) => result.outcome === outcome).length

/** The sdist's tests, with the surroundings that it leaves out, and constants that name this Hub and its people. */
async function openTests(python: string, door: Door): Promise<string> {
  const folder = await makeFolder()
  const words = ['download', '--quiet', '--no-deps', '--no-binary', ':all:', `huggingface_hub==${version}`]
  await run(await findPip(python), [...words, '--dest', folder], { timeout: 300_000 })
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tar.gz'))
  await run('tar', ['xzf', archive], { cwd: folder })
  const tests = join(folder, `huggingface_hub-${version}`, 'tests')
  await mkdir(join(tests, 'fixtures'), { recursive: true })
  await writeFile(join(tests, '__init__.py'), '')
  await cp(join(import.meta.dirname, 'suite_conftest.py'), join(tests, 'conftest.py'))
  const constants = join(tests, 'testing_constants.py')
  const own = {
    USER: 'ada',
    FULL_NAME: 'ada',
    TOKEN: door.token,
    OTHER_USER: 'eve',
    OTHER_TOKEN: await door.addPerson('eve@example.org'),
    ENDPOINT_STAGING: door.env.HF_ENDPOINT ?? '',
  }
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  await writeFile(constants, `${await readFile(constants, 'utf8')}\n${lines.join('\n')}\n`)
  return join(folder, `huggingface_hub-${version}`)
}

/** Environments of uv have no pip of their own. */
async function findPip(python: string): Promise<string> {
  const { stdout } = await run(python, ['-c', 'import sys; print(sys.base_prefix)'])
  return join(stdout.trim(), 'bin/pip3')
}

async function runTests(python: string, folder: string, file: string, door: Door): Promise<TestResult[]> {
  const report = join(folder, `${file}.xml`)
  const words = [
    '-m',
    'pytest',
    `tests/${file}.py`,
    '-q',
    '-p',
    'no:cacheprovider',
    '--tb=short',
    `--timeout=${testSeconds}`,
  ]
  const options = ['-o', 'addopts=', `--junit-xml=${report}`]
  const child = spawn(python, [...words, ...options], {
    cwd: folder,
    env: { ...process.env, ...door.env, HF_HUB_DISABLE_PROGRESS_BARS: '0' },
    stdio: ['ignore', process.env.NMP_VERBOSE ? 'inherit' : 'ignore', 'inherit'],
  })
  await once(child, 'exit')
  return readReport(await readFile(report, 'utf8'))
}

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
  '&#10;': ' ',
}
const decode = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|apos|amp|#10);/g, (found) => entities[found] ?? found)

/** Of JUnit: one line for each test; one whose setup and teardown both fail is one. */
function readReport(xml: string): TestResult[] {
  const results = new Map<string, TestResult>()
  for (const [, head = '', , body = ''] of xml.matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name: string) => decode(new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? '')
    const name = `${attribute('classname').replace(/^tests\./, '')}.${attribute('name')}`
    const fault = /<(failure|error) message="([^"]*)"/.exec(body)
    const outcome = fault ? 'failed' : body.includes('<skipped') ? 'skipped' : 'passed'
    if (results.get(name)?.outcome !== 'failed')
      results.set(name, {
        name,
        outcome,
        words: decode(fault?.[2] ?? '')
          .replaceAll(/\s+/g, ' ')
          .slice(0, 500),
      })
  }
  return [...results.values()]
}

interface Figures {
  suite: string
  passed: number
  failed: number
  skipped: number
}

function renderFigures(
  figures: readonly Figures[],
  failures: readonly { name: string; reason: string | null }[],
): string {
  const rows = figures.map(({ suite, passed, failed }) => `| ${suite} | ${passed} of ${passed + failed} |`)
  const reasons = Map.groupBy(failures, ({ reason }) => reason ?? 'not read')
  const listed = [...reasons].map(([reason, of]) => {
    const names = of.map(({ name }) => `\`${name.split('.').at(-1)}\``)
    return `| ${of.length} | ${reason} | ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''} |`
  })
  return [
    `| tests of huggingface_hub ${version} | pass |`,
    '| --- | --- |',
    ...rows,
    '',
    '| tests | do not pass because | such as |',
    '| ---: | --- | --- |',
    ...listed,
  ].join('\n')
}
