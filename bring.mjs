// What only one kind of work needs is a package with a lockfile of its own, and is installed when that work is first done:
// `node bring.mjs tools bench`. `runtime` is Node 24, for a linux that has an older one; `npm ci` asks for it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const root = import.meta.dirname
/** Commands that are put beside those of `npm ci`, where scripts and npx find them. */
const commands = { runtime: ['node'], tools: ['biome', 'knip', 'tsc'] }

const [major] = process.versions.node.split('.').map(Number)
const isWanted = (folder) => folder !== 'runtime' || (process.platform === 'linux' && major < 24)

/** npm runs on the Node that will run what it installs, and so has no warning about an older one. */
const findEnvironment = (folder) => {
  const own = join(root, 'node_modules', '.bin')
  const places = [...(folder === 'runtime' ? [] : [own]), dirname(process.execPath), process.env.PATH]
  return { ...process.env, PATH: places.join(delimiter) }
}

function install(folder) {
  const modules = join(root, folder, 'node_modules')
  const stamp = join(modules, '.installed-from')
  const lockfile = createHash('sha256')
    .update(readFileSync(join(root, folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) return
  process.stdout.write(`installing what ${folder}/ needs (once) …\n`)
  const npm = process.env.npm_execpath ? ['node', process.env.npm_execpath] : ['npm']
  const [command, ...words] = [...npm, 'ci', '--ignore-scripts']
  execFileSync(command, words, {
    cwd: join(root, folder),
    env: findEnvironment(folder),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // A third of what that package brings are headers, for compiling against Node.
  if (folder === 'runtime')
    for (const name of readdirSync(modules).filter((one) => one.startsWith('node-')))
      for (const part of ['include', 'share']) rmSync(join(modules, name, part), { recursive: true, force: true })
  writeFileSync(stamp, lockfile)
}

for (const folder of process.argv.slice(2).filter(isWanted)) {
  install(folder)
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  for (const name of commands[folder] ?? []) {
    const link = join(root, 'node_modules', '.bin', name)
    rmSync(link, { force: true })
    symlinkSync(join('..', '..', folder, 'node_modules', '.bin', name), link)
  }
}
