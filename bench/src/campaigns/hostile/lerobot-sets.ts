import { createRandom, shuffle } from '../../../../server/test/chaos/random.ts'
import type { HostileGround } from './ground.ts'
import { type HostileSource, judgeImport } from './import-door.ts'
import { judgeLeftovers, lookBefore } from './leftovers.ts'
import { listMetadataCases } from './lerobot-metadata.ts'
import { listNameCases } from './lerobot-names.ts'
import { listTableCases } from './lerobot-tables.ts'
import { listVideoCases } from './lerobot-videos.ts'
import { type Family, judgeSeveral, type Verdict } from './verdict.ts'

/** One more than the program runs at a time, so that it never waits for us. */
const atATime = 3

export const lerobotSets: Family = {
  name: 'lerobot',
  title: 'hostile LeRobot sets, imported',
  bar: 'refused with a code, imported with findings, or failed with a code and a sentence; nothing stays behind',
  run: (ground) =>
    judgeSources(ground, [
      ...listMetadataCases(),
      ...listTableCases(ground.seed),
      ...listVideoCases(ground.seed),
      ...listNameCases(),
    ]),
}

/** Imports, and then what they left. */
export async function* judgeSources(ground: HostileGround, sources: readonly HostileSource[]): AsyncGenerator<Verdict> {
  const before = await lookBefore(ground)
  // Of every kind from the beginning, so that a run that is cut short is a sample.
  const chosen = shuffle(sources, createRandom(ground.seed)).slice(0, Math.ceil(sources.length * ground.scale))
  yield* judgeSeveral(takeUntil(ground, chosen), atATime, (source) => judgeImport(ground, source))
  yield* judgeLeftovers(ground, before)
}

function* takeUntil<Case>(ground: HostileGround, cases: readonly Case[]): Generator<Case> {
  const end = performance.now() + (ground.seconds ?? Number.POSITIVE_INFINITY) * 1000
  for (const [index, one] of cases.entries()) {
    if (performance.now() > end) {
      ground.leftOut = cases.length - index
      return
    }
    yield one
  }
}
