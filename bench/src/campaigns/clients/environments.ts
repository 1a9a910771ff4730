import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from '../../../../e2e/program.ts'

const run = promisify(execFile)
const cache = resolve(process.env.NMP_CACHE_DIR ?? join(checkout, '.cache'))

export interface Environment {
  client: string
  version: string
  /** The interpreter, or for JavaScript the folder that the package is installed in. */
  home: string
  group: 'hub' | 'datasets' | 'pandas' | 'duckdb' | 'js' | 'lerobot'
}

/** Of the door's three generations, and what people read tables with; `datasets`, pandas and DuckDB share one environment. */
const tables = { datasets: '5.2.0', pandas: '3.1.1', duckdb: '2.0.0' }
const hubs = ['2.4.0', '1.0.0', '0.36.0']
const lerobots = ['0.6.1', '0.4.4', '0.3.3']
const js = '2.17.5'

/** Brings every client, once: the Python environments of the lanes first (`.ci/install-python`), and beside them those of the table. */
export async function openEnvironments(): Promise<Environment[]> {
  await run(join(checkout, '.ci/install-python'), {
    cwd: checkout,
    env: { ...process.env, CI: 'true' },
    timeout: 1_800_000,
  })
  const environments: Environment[] = []
  for (const version of hubs) {
    const home = await makePython(`hub-${version}`, [`huggingface_hub==${version}`, 'jinja2==3.1.6', 'click==8.5.1'])
    environments.push({ client: 'huggingface_hub', version, home, group: 'hub' })
  }
  for (const version of lerobots) {
    const home = join(cache, 'python', `lerobot-${version}`, 'bin/python')
    environments.push({ client: 'lerobot', version, home, group: 'lerobot' })
  }
  const home = await makePython(
    'tables',
    Object.entries(tables).map(([name, version]) => `${name}==${version}`),
  )
  for (const [client, version] of Object.entries(tables))
    environments.push({ client: shown[client] ?? client, version, home, group: client as Environment['group'] })
  environments.push({ client: '@huggingface/hub', version: js, home: await makeNode(), group: 'js' })
  return environments
}

const shown: Record<string, string> = { duckdb: 'DuckDB' }

/** Under the cache of the lanes, with their uv; kept until other packages are asked for. */
export async function makePython(name: string, packages: readonly string[]): Promise<string> {
  const python = join(cache, 'python')
  const folder = join(python, 'clients', name)
  await makeOnce(folder, packages.join('\n'), async () => {
    const uv = join(python, await findUv())
    const env = { ...process.env, UV_CACHE_DIR: join(python, 'uv-cache'), UV_HTTP_TIMEOUT: '300' }
    const { stdout: interpreter } = await run(join(checkout, '.ci/find-python'), ['3.12'])
    await run(uv, ['venv', '--quiet', '--python', interpreter.trim(), folder], { env })
    const target = ['--python', join(folder, 'bin/python')]
    await run(uv, ['pip', 'install', '--quiet', ...target, ...packages], { env, timeout: 900_000 })
  })
  return join(folder, 'bin/python')
}

async function findUv(): Promise<string> {
  const text = await readFile(join(checkout, '.ci/install-python'), 'utf8')
  return `uv-${/^uv_version=(\S+)$/m.exec(text)?.[1]}/bin/uv`
}

async function makeNode(): Promise<string> {
  const folder = join(cache, 'clients-js')
  await makeOnce(folder, js, async () => {
    await writeFile(join(folder, 'package.json'), '{"private": true}')
    await run('npm', ['install', '--silent', '--no-fund', '--no-audit', `@huggingface/hub@${js}`], {
      cwd: folder,
      timeout: 300_000,
    })
  })
  return folder
}

async function makeOnce(folder: string, what: string, make: () => Promise<void>): Promise<void> {
  const complete = join(folder, 'complete')
  if (existsSync(complete) && (await readFile(complete, 'utf8')) === what) return
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await make()
  await writeFile(complete, what)
}
