import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

/** `npm start` serves the console from web/dist; this makes it when its sources changed since, and costs 50 ms when not. */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'web', 'dist')
const stampFile = join(dist, '.built-from')

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
const present = await readFile(stampFile, 'utf8').catch(() => '')
if (present !== wanted && existsSync(join(root, 'web', 'index.html'))) {
  process.stdout.write('building the console (once, some seconds) …\n')
  await build({ root: join(root, 'web'), logLevel: 'warn' })
  await writeFile(stampFile, wanted)
}
