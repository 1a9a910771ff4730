import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** An entry of package-lock.json, as far as it is asked here. */
interface Locked {
  name?: string
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  os?: string[]
  cpu?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface Package {
  /** In the lockfile: where npm puts it. */
  readonly place: string
  readonly name: string
  readonly version: string
  /** As its author states it, an SPDX expression. */
  readonly licence: string
  readonly integrity: string | undefined
  /** Made for some systems only, which is what packages of binaries are. */
  readonly isForSystem: boolean
  /** Places of what it needs. */
  readonly needs: readonly string[]
}

/** All that a user of these workspaces gets, tests and tools left out, for every system, in the order of their places. */
export function listPackages(lockfile: string, workspaces: readonly string[]): Package[] {
  const { packages } = JSON.parse(readFileSync(join(root, lockfile), 'utf8')) as { packages: Record<string, Locked> }
  const find = (from: string, name: string): string | undefined => {
    const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`
    const found = packages[place]
    if (found) return found.link ? found.resolved : place
    if (from === '') return undefined
    return find(from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
  }
  const found = new Map<string, Package>()
  const visit = (place: string): void => {
    const entry = packages[place]
    if (!entry || found.has(place)) return
    const asked = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    const needs = asked.flatMap((name) => find(place, name) ?? [])
    found.set(place, {
      place,
      name: entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license ?? '',
      integrity: entry.integrity,
      isForSystem: entry.os !== undefined || entry.cpu !== undefined,
      needs,
    })
    for (const other of needs) visit(other)
  }
  for (const workspace of workspaces) visit(workspace)
  return [...found.values()].sort((one, other) => (one.place < other.place ? -1 : 1))
}

/** What runs and what the console is made of: nothing here may bring in a licence that does not fit Apache-2.0. */
export const programWorkspaces = ['cli', 'formats', 'sdk', 'server', 'web']
export const codecWorkspace = 'codec'

export const isOurs = ({ place }: Pick<Package, 'place'>): boolean => !place.includes('node_modules/')
