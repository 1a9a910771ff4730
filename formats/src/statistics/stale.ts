import type { Block, Dataset } from '../dataset.ts'
import { isColumn, isNumericDtype, type NumericArray } from '../feature.ts'
import type { Findings } from '../finding.ts'
import { countDimensions } from './episode.ts'
import { addValues, createMoments, type Moments, mergeMoments } from './moments.ts'
import { findContradiction, type StatedStatistics, statedFeatures } from './stated.ts'

/** What state and action are like, to be held against what the source states of them. */
export class MeasuredSignals {
  readonly moments: ReadonlyMap<string, Moments>

  constructor({ features }: Pick<Dataset, 'features'>) {
    const columns = features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
    const wanted = columns.filter(({ name }) => statedFeatures.some((feature) => feature === name))
    this.moments = new Map(wanted.map((feature) => [feature.name, createMoments(countDimensions(feature))]))
  }

  add({ columns, frameCount }: Block): void {
    for (const [name, moments] of this.moments) addValues(moments, columns.get(name) as NumericArray, frameCount)
  }

  join({ moments }: MeasuredSignals): void {
    for (const [name, into] of this.moments) mergeMoments(into, moments.get(name) as Moments)
  }
}

/** `episode`: null where all of them are meant. */
export function reportStale(
  stated: StatedStatistics | undefined,
  moments: ReadonlyMap<string, Moments>,
  findings: Findings,
  episode: number | null,
): void {
  for (const [feature, own] of stated ?? []) {
    const measured = moments.get(feature)
    const contradiction = measured && findContradiction(own, measured)
    if (contradiction === undefined) continue
    const whose = episode === null ? `${feature} in meta/stats.json` : `${feature} of episode ${episode}`
    findings.add('stats-stale', `Statistics of ${whose} contradict the data: ${contradiction}.`, episode)
  }
}
