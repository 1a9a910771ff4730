/** NOTICE, made of package-lock.json and of what is known of binaries; `--check` only compares. A part of `npm run gen`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binaryParts, foreignFiles } from './binary-parts.ts'
import { exceptions } from './licences.ts'
import { codecWorkspace, listPackages, programWorkspaces, root } from './lockfile.ts'

const width = 120

/** Every package of binaries that an installation may have, the codec library and Node among them. */
export const listShipped = () => [
  ...listPackages('package-lock.json', [...programWorkspaces, codecWorkspace]),
  ...listPackages('runtime/package-lock.json', ['']),
]

export function writeNotice(): string {
  const shipped = listShipped()
  const parts = binaryParts.flatMap((part) => {
    const carried = shipped.filter(({ name }) => part.packages.test(name))
    if (carried.length === 0) return []
    const versions = [...new Set(carried.map(({ version }) => version))].join(', ')
    const names = [...new Set(carried.map(({ name }) => name))].sort()
    const holds = part.holds.map(({ name, version, licence }) => `${version ? `${name} ${version}` : name}: ${licence}`)
    return [
      [
        part.title,
        ...wrap(`npm: ${names.join(', ')}; version ${versions}`),
        ...wrap(`holds: ${holds.join('; ')}`),
        ...wrap(`source: ${part.source}`),
        ...wrap(part.note),
      ].join('\n'),
    ]
  })
  const fonts = foreignFiles.map(({ path, name, licence, source }) => `  ${path}: ${name}, ${licence}, ${source}`)
  const named = exceptions.flatMap(({ packages, licence, why }) => {
    const found = [...new Set(shipped.filter(({ name }) => packages.test(name)).map(({ name }) => name))]
    return found.length > 0 ? wrap(`${found.sort().join(', ')}: ${licence}; ${why}`) : []
  })
  return `${[
    'nmp\n\nLicensed under the Apache License, Version 2.0; see LICENSE. fixtures/NOTICE says where test data comes from.',
    'This repository contains no binary of others but two fonts. `npm ci` fetches the packages that package-lock.json names, each with its\nlicence in its folder; these carry something compiled. Written by `npm run gen`; tools/parts/ has the table.',
    ...parts,
    `Fonts (web/public/assets/OFL.txt is their licence)\n${fonts.join('\n')}`,
    `Packages that are not under a permissive licence, and why they are used\n${named.join('\n')}`,
  ].join('\n\n')}\n`
}

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length + 3 > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`))
}

if (import.meta.main) {
  const path = join(root, 'NOTICE')
  const text = writeNotice()
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write('NOTICE is not what package-lock.json says: run `npm run gen`.\n')
    process.exitCode = 1
  }
}
