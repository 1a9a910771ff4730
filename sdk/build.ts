import { execFileSync } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The published form, in dist/: plain JavaScript with declarations. `npm pack ./sdk/dist` packs it. */
const folder = import.meta.dirname
const target = join(folder, 'dist')
await rm(target, { recursive: true, force: true })
const root = join(folder, '..')
execFileSync(process.execPath, [join(root, 'bring.mjs'), 'tools'], { stdio: 'inherit' })
const tsc = join(root, 'node_modules', '.bin', 'tsc')
execFileSync(tsc, ['--project', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' })
const { name, version, description, license, type } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
const published = {
  name,
  version,
  description,
  license,
  type,
  engines: { node: '>=20.3' },
  sideEffects: false,
  exports: { './*': { types: './*.d.ts', default: './*.js' } },
}
await writeFile(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
await copyFile(join(root, 'LICENSE'), join(target, 'LICENSE'))
await copyFile(join(folder, 'README.md'), join(target, 'README.md'))
