import type { RuleFacts } from './rule.ts'

type Compared = Pick<RuleFacts, 'found'>

/** Whether something that is still found at `until` is found at a cut-off; of a rule without one, always. */
export function isFound({ found }: Compared, until: number, cutOff: number): boolean {
  if (found === 'above') return until > cutOff
  if (found === 'from') return until >= cutOff
  if (found === 'below') return until < cutOff
  if (found === 'up-to') return until <= cutOff
  return true
}

/** Whether everything that `cutOff` finds is among what `kept` found. */
export const isWithin = ({ found }: Compared, cutOff: number, kept: number): boolean =>
  found === 'below' || found === 'up-to' ? cutOff <= kept : cutOff >= kept

/** What a service looks for: the cut-off that was asked for, or the rule's loosest where that finds more. */
export const pickLooser = (rule: Pick<RuleFacts, 'found' | 'loosest'>, asked: number): number =>
  rule.loosest === null || Number.isNaN(asked) || !isWithin(rule, asked, rule.loosest) ? asked : rule.loosest
