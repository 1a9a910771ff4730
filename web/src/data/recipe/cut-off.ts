import type { Rule } from '../checks.ts'

/** Where a cut-off can be dragged to, and what lies on the way. */
export interface CutOffScale {
  low: number
  high: number
  isWhole: boolean
  /** The share of the way at which a cut-off lies, 0 to 1. */
  toShare(value: number): number
  toValue(share: number): number
}

const counted = new Set(['frames', 'episodes', 'earlier episodes', 'dimensions'])
/** From so many times on, equal steps of the hand are equal factors. */
const wideFactor = 12

type Movable = Pick<Rule, 'cut_off' | 'loosest' | 'direction' | 'unit'>

/**
 * From the loosest cut-off that stored results can tell to one that finds nothing. Undefined where only another run tells what
 * another cut-off finds. `kept` is a looser one than the rule's own that the last run went by.
 */
export function makeScale(rule: Movable, kept: number | null, values: readonly number[]): CutOffScale | undefined {
  const { cut_off: own, loosest, direction } = rule
  if (own === null || loosest === null || direction === null) return undefined
  const isWhole = counted.has(rule.unit) && Number.isInteger(own) && Number.isInteger(loosest)
  const isUp = direction === 'above'
  const pick = isUp ? Math.min : Math.max
  const loose = pick(loosest, kept ?? loosest)
  const strictest = isUp ? Math.max(own, loose, ...values) : Math.min(own, loose, ...values)
  // Past the last finding, so that the far end of the way finds nothing.
  const margin = isWhole ? 1 : Math.abs(strictest - loose) * 0.08 || Math.abs(own) * 0.5 || 1
  const strict = isUp ? strictest + margin : Math.max(0, strictest - margin)
  const [low, high] = [Math.min(loose, strict), Math.max(loose, strict)]
  const isWide = low > 0 && high / low > wideFactor
  const bound = (value: number): number => Math.max(low, Math.min(high, value))
  return {
    low,
    high,
    isWhole,
    toShare: (value) => {
      const within = bound(value)
      return isWide ? Math.log(within / low) / Math.log(high / low) : (within - low) / (high - low || 1)
    },
    toValue: (share) => {
      const exact = isWide ? low * (high / low) ** share : low + share * (high - low)
      return bound(isWhole ? Math.round(exact) : roundFor(exact, high - low))
    },
  }
}

/** A thousandth of the way needs no more digits than this. */
function roundFor(value: number, range: number): number {
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(range || 1))))
  return Number(value.toFixed(digits))
}

/** As few digits as tell it from its neighbours. */
export const formatCutOff = (value: number, digits = 4): string =>
  String(Number(value.toPrecision(digits))).replace('-', '−')
