import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FeatureQuantiles, SetStatistics } from '@nmp/formats/checks/beyond-rule'
import { isObject, type JsonValue } from '@nmp/formats/json'

const signals = ['observation.state', 'action']
const names = ['q01', 'q10', 'q50', 'q90', 'q99'] as const

/** What a dataset's meta/stats.json says of state and action; features whose quantiles are not all numbers are left out. */
export function takeQuantiles(statistics: JsonValue | undefined): SetStatistics {
  const taken: [string, FeatureQuantiles][] = []
  for (const feature of signals) {
    const stored = isObject(statistics) ? statistics[feature] : undefined
    if (!isObject(stored)) continue
    const lists = names.map((name) => [name, [stored[name]].flat(9)] as const)
    if (lists.every(([, list]) => list.length > 0 && list.every((value) => typeof value === 'number')))
      taken.push([feature, Object.fromEntries(lists) as unknown as FeatureQuantiles])
  }
  return Object.fromEntries(taken)
}

export const readQuantiles = async (folder: string): Promise<SetStatistics> =>
  takeQuantiles(JSON.parse(await readFile(join(folder, 'meta', 'stats.json'), 'utf8')))
