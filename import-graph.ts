/** What imports what in this repository, read from the sources: for architecture.test.ts and for the picture in ARCHITECTURE.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = import.meta.dirname
const skipped = new Set(['node_modules', 'dist', '.git', '.cache', '.nmp', 'golden', 'generated'])

export interface Import {
  file: string
  /** A package name, or a path from the root for a file of ours. */
  target: string
  isTypeOnly: boolean
}

const walk = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    return entry.isDirectory() ? walk(path) : /\.(ts|tsx|mjs)$/.test(entry.name) ? [path] : []
  })

export const files = walk('')
const isTest = (file: string): boolean => /\.(test|contract)\.ts$|\.contract-[\w-]+\.ts$|\/test\//.test(file)
export const sources = files.filter((file) => !isTest(file))
export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A list of names that are all types is a type import, too. */
const areTypes = (names: string): boolean =>
  names.includes('{') &&
  names
    .replace(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .every((name) => name.startsWith('type '))

export const imports: Import[] = sources.flatMap((file) =>
  [
    ...textOf(file).matchAll(
      /^\s*(?:import|export)\b(\s+type\b)?([^'"\n;]*|\s*\{[^}]*\}\s*)\bfrom\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|^import\s+['"]([^'"]+)['"]/gm,
    ),
  ].map(([, type, names = '', plain, dynamic, bare]) => {
    const target = plain ?? dynamic ?? bare ?? ''
    return {
      file,
      target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
      isTypeOnly: type !== undefined || areTypes(names),
    }
  }),
)

/** The folders under `base`, ground first: a folder imports values only from folders before it. */
export const floors: Record<string, readonly string[]> = {
  'server/src': [
    'db',
    'secrets',
    'storage',
    'jobs',
    'access',
    'http',
    'audit',
    'consistency',
    'notifications',
    'organizations',
    'identity',
    'platform',
    'uploads',
    'datasets',
    'media',
    'curation',
    'checks',
    'signals',
    'versions',
    'exports',
    'imports',
    'catalog',
    'diff',
    'events',
    'hub',
    'backups',
    'demo',
    'admin',
  ],
  'web/src': [
    'session',
    'parts',
    'data',
    'publishing',
    'episode',
    'browsing',
    'version',
    'dataset',
    'player',
    'recipe',
    'imports',
    'catalog',
    'inbox',
    'organization',
    'project',
    'settings',
    'status',
    'app',
  ],
  'formats/src': [
    'statistics',
    'containers',
    'card',
    'layouts',
    'writers',
    'steps',
    'merge',
    'inspect',
    'checks',
    'diff',
    'command',
  ],
}

/** Files beside the folders that everything stands on, and those that put everything together. */
const groundFiles =
  /^(answering-thread|bounded-map|canonical-json|config|context|cursor|errors|ids|log|bytes|dataset|feature|file-tree|finding|frame-ranges|json|limiter|metrics|signal-roles|slices|splits)\.ts$/

/** The folder of a file, 'ground' or 'roof'; undefined outside `base`. */
function roomOf(base: string, file: string): string | undefined {
  if (!file.startsWith(`${base}/`)) return undefined
  const [first = '', ...rest] = file.slice(base.length + 1).split('/')
  if (rest.length > 0) return first
  return groundFiles.test(first) ? 'ground' : 'roof'
}

/** Values that one room imports from another. */
export const listSteps = (base: string): { import: Import; from: string; to: string }[] =>
  imports.flatMap((one) => {
    const [from, to] = [roomOf(base, one.file), roomOf(base, one.target)]
    return from && to && from !== to && !one.isTypeOnly ? [{ import: one, from, to }] : []
  })
