import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `npm start` serves the console from web/dist; this makes it when its sources changed since, and costs 50 ms when not. Programs that
 * start at once wait for one builder, and dist is put in place whole. A console that cannot be built is told by its cause and exit code 1;
 * `npm start` goes on without it.
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'web', 'dist')
const cache = join(root, 'node_modules', '.cache')
const lock = join(cache, 'nmp-console.lock')
const longestBuildMs = 180_000

async function fingerprint() {
  const hash = createHash('sha256')
  for (const folder of ['web', 'sdk/src']) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/[\\/](dist|node_modules|test)[\\/]|\.test\.tsx?$/.test(path))
      .sort()
    for (const path of files)
      hash
        .update(path.slice(root.length))
        .update('\0')
        .update(await readFile(path))
        .update('\0')
  }
  return hash.digest('hex')
}

const wanted = await fingerprint()
const isBuilt = async () => (await readFile(join(dist, '.built-from'), 'utf8').catch(() => '')) === wanted

async function build() {
  process.stdout.write('building the console (once, some seconds) …\n')
  const { build: runVite } = await import('vite')
  const [made, old] = [join(cache, `nmp-console-${process.pid}`), join(cache, `nmp-console-${process.pid}-old`)]
  await runVite({ root: join(root, 'web'), logLevel: 'warn', build: { outDir: made, emptyOutDir: true } })
  await writeFile(join(made, '.built-from'), wanted)
  if (existsSync(dist)) await rename(dist, old)
  await rename(made, dist)
  await rm(old, { recursive: true, force: true })
}

async function buildOnce() {
  await mkdir(cache, { recursive: true })
  for (const began = Date.now(); Date.now() - began < longestBuildMs; await sleep(250)) {
    if (await isBuilt()) return
    const isMine = await mkdir(lock).then(
      () => true,
      (error) => {
        if (error.code === 'EEXIST') return false
        throw error
      },
    )
    if (isMine) {
      try {
        if (!(await isBuilt())) await build()
        return
      } finally {
        await rm(lock, { recursive: true, force: true })
      }
    }
    const held = await stat(lock).catch(() => undefined)
    if (held && Date.now() - held.mtimeMs > longestBuildMs) await rm(lock, { recursive: true, force: true })
  }
  throw new Error(`another build holds ${lock} and did not end within ${longestBuildMs / 1000} s`)
}

if (!(await isBuilt())) {
  try {
    await buildOnce()
  } catch (error) {
    process.stderr.write(`The console could not be built: ${error.message}\n`)
    process.exitCode = 1
  }
}
