/** The check of licences, a lane of `.ci/run`: a line each, `ok …` or `FAILED …`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPart } from './binary-parts.ts'
import { codecWorkspace, isOurs, listPackages, type Package, programWorkspaces, root } from './lockfile.ts'

/** What may be distributed with Apache-2.0 code without a word: permissive licences. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Unlicense',
])

/** Everything else is named here, with its licence and why it fits. */
export const exceptions: readonly { packages: RegExp; licence: string; why: string }[] = [
  { packages: /^mediabunny$/, licence: 'MPL-2.0', why: 'used as it is; MPL asks for the source of its own files only' },
  { packages: /^lightningcss(-|$)/, licence: 'MPL-2.0', why: 'a tool of the build, used as it is' },
  { packages: /^@img\/sharp-libvips-/, licence: 'LGPL-3.0-or-later', why: 'a shared library that may be replaced' },
  {
    packages: /^@img\/sharp-(win32-|wasm32)/,
    licence: 'Apache-2.0 AND LGPL-3.0-or-later',
    why: 'for systems that nmp does not run on',
  },
  { packages: /^h5wasm$/, licence: 'SEE LICENSE IN LICENSE.txt', why: 'NIST-Software and the licence of HDF5' },
]

/** What is wrong with the licences of these packages, a sentence each. */
export function findLicenceFaults(packages: readonly Package[]): string[] {
  return packages
    .filter((entry) => !isOurs(entry))
    .flatMap(({ name, version, licence }) => {
      const corrected = findPart(name)?.licence
      if (corrected && /GPL/.test(corrected)) return [`${name}@${version} is ${corrected}.`]
      if (licence === '') return [`${name}@${version} states no licence.`]
      if (fits(licence)) return []
      if (exceptions.some((known) => known.packages.test(name) && licence.startsWith(known.licence))) return []
      return [`${name}@${version} is ${licence}: neither permissive nor an exception of tools/parts/licences.ts.`]
    })
}

/** `A AND B`, `A OR B`, brackets: one of the alternatives has to be permissive as a whole. */
const fits = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((licence) => permissive.has(licence)))

/** Installed packages whose package.json states another licence than the lockfile. */
export function findStrangers(packages: readonly Package[]): string[] {
  return packages
    .filter((entry) => !isOurs(entry))
    .flatMap(({ place, licence }) => {
      const stated = readStated(place)
      return stated === undefined || stated === licence
        ? []
        : [`${place} states ${stated}, the lockfile has ${licence}.`]
    })
}

/** Not installed on this system: nothing to compare. */
function readStated(place: string): string | undefined {
  const folder = join(root, place)
  try {
    if (!readdirSync(folder).includes('package.json')) return undefined
  } catch {
    return undefined
  }
  const { license, licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type)
}

if (import.meta.main) {
  const program = listPackages('package-lock.json', programWorkspaces)
  const codec = listPackages('package-lock.json', [codecWorkspace])
  const withGpl = codec.filter(({ name }) => /GPL/.test(findPart(name)?.licence ?? ''))
  const rest = codec.filter((entry) => !withGpl.includes(entry))
  const faults = [...findLicenceFaults(program), ...findLicenceFaults(rest)]
  const strangers = findStrangers([...program, ...codec])
  for (const fault of [...faults, ...strangers]) process.stdout.write(`FAILED ${fault}\n`)
  if (faults.length === 0)
    process.stdout.write(
      `ok licences of ${program.length + rest.length} packages fit Apache-2.0; ${withGpl.length} more are in codec/ only\n`,
    )
  if (strangers.length === 0) process.stdout.write('ok installed packages state the licences of the lockfile\n')
  process.exitCode = faults.length + strangers.length > 0 ? 1 : 0
}
