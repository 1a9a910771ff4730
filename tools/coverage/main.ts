/**
 * `npm run coverage`: the tests of `npm test`, and what of the sources they execute, by lines and by branches; in the
 * processes that tests start as well, but for those that are killed. What follows `--` goes to vitest.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import istanbul, { type CoverageSummary } from 'istanbul-lib-coverage'
import { collectExecuted, type Executed } from './collect.ts'
import { summarizeFile } from './summarize.ts'

const root = join(import.meta.dirname, '../..')
const packages = ['formats/src', 'server/src', 'web/src', 'sdk/src', 'cli/src']
const boundPercent = 70

const sources = await listSources()
const { executed, exitCode } = await runTests(new Set(sources.map((path) => pathToFileURL(path).href)))
await printFolders(executed)
process.exitCode = exitCode

/** Of web only what needs no browser: files without JSX that load no package, and those that have a test beside them. */
async function listSources(): Promise<string[]> {
  const paths = await Array.fromAsync(
    glob(
      packages.map((folder) => `${folder}/**/*.ts`),
      { cwd: root },
    ),
  )
  const all = paths
    .filter((path) => !/\.test\.ts$|\.d\.ts$|\.contract\.ts$|\/generated\//.test(path))
    .map((path) => join(root, path))
  const found: string[] = []
  for (const path of all.sort())
    if (!path.startsWith(join(root, 'web')) || existsSync(path.replace('.ts', '.test.ts')) || (await isPure(path)))
      found.push(path)
  return found
}

async function isPure(path: string, seen = new Set<string>()): Promise<boolean> {
  if (seen.has(path)) return true
  seen.add(path)
  const code = await readFile(path, 'utf8')
  const names = [...code.matchAll(/^(?:import|export) (?!type )[^'"]*? from '([^']+)'/gm)].map(([, name = '']) => name)
  for (const name of names)
    if (!name.startsWith('.') || !name.endsWith('.ts') || !(await isPure(join(dirname(path), name), seen))) return false
  return true
}

async function runTests(urls: Set<string>): Promise<{ executed: Executed; exitCode: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-coverage-'))
  // Some tests run the program as somebody else.
  await chmod(folder, 0o777)
  const executed: Executed = new Map()
  try {
    const vitest = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', '!lane-*', ...process.argv.slice(2)],
      { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_V8_COVERAGE: folder } },
    )
    let exitCode: number | undefined
    const ended = once(vitest, 'exit').then(([code]) => {
      exitCode = code ?? 1
    })
    while (exitCode === undefined) {
      await Promise.race([ended, sleep(5000)])
      await collectExecuted(folder, (url) => urls.has(url), executed)
    }
    return { executed, exitCode }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function printFolders(executed: Executed): Promise<void> {
  const byFolder = new Map<string, CoverageSummary>()
  for (const path of sources) {
    const summary = await summarizeFile(path, executed)
    const folder = dirname(relative(root, path))
    const [first = ''] = folder.split('/')
    for (const name of [`${first}/`, folder]) {
      const sum = byFolder.get(name) ?? istanbul.createCoverageSummary()
      byFolder.set(name, sum.merge(summary))
    }
  }
  process.stdout.write(`\n${'folder'.padEnd(36)}  lines  branches\n`)
  for (const [name, { lines, branches }] of [...byFolder].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isUnder = lines.pct < boundPercent || branches.pct < boundPercent
    const figures = `${lines.pct.toFixed(1).padStart(5)}  ${branches.pct.toFixed(1).padStart(8)}`
    process.stdout.write(`${name.padEnd(36)}  ${figures}${isUnder ? `  under ${boundPercent}` : ''}\n`)
  }
}
