import type { Findings } from '../finding.ts'
import type { SetFacts } from './set-facts.ts'

/** Fewer have no step between them. */
const leastFrames = 2
/** Rules that compare state and action by their dimensions look at no more of them. */
export const comparedDimensions = 64

/** What the rules cannot look at in this set, so that nobody takes their silence for a clean one. */
export function reportUnmeasured(
  { episodeCount, lengths, state, action, sourceIndexOf }: SetFacts,
  findings: Findings,
): void {
  if (episodeCount === 0) return
  if (!state && !action)
    findings.add(
      'signal-missing',
      'There is neither observation.state nor action: rules of signals and motion say nothing.',
    )
  else if (!state)
    findings.add(
      'signal-missing',
      'There is no observation.state: motion is measured by the action; lag and command-error say nothing.',
    )
  else if (!action) findings.add('signal-missing', 'There is no action: lag and command-error say nothing.')
  const short = lengths.reduce((count, length) => count + Number(length < leastFrames), 0)
  if (short > 0) {
    const first = sourceIndexOf(lengths.findIndex((length) => length < leastFrames))
    findings.add(
      'episode-too-short',
      `${short} of ${episodeCount} episodes (the first is ${first}) have fewer than ${leastFrames} frames: nothing can be said of how they move.`,
    )
  }
  const width = Math.min(state?.width ?? 0, action?.width ?? 0)
  if (width > comparedDimensions)
    findings.add(
      'dimensions-checked-in-part',
      `State and action have ${width} dimensions or more; lag and command-error look at the first ${comparedDimensions} of an arm.`,
    )
}
