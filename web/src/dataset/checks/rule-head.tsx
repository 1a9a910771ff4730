import type { Rule, RuleCounts } from '../../data/checks.ts'
import { nameRule, severityLooks } from '../../data/rule-names.ts'
import './rule-head.css'

interface RuleHeadProps {
  id: string
  rule: Rule | undefined
  /** Undefined for rankings. */
  counts?: RuleCounts
}

/** What a rule measures and what to do about it, in its own words. */
export const RuleHead = ({ id, rule, counts }: RuleHeadProps) => (
  <header className="rule-head">
    <div className="row wrap gap-6">
      <h2 className="title">{nameRule(id)}</h2>
      {counts ? (
        <span className={`chip ${severityLooks[counts.severity].chip}`}>{severityLooks[counts.severity].word}</span>
      ) : (
        <span className="chip line">ranking, no verdict</span>
      )}
      <code className="mono dim small end">{id}</code>
    </div>
    {rule ? (
      <dl className="rule-words">
        <dt>Measured</dt>
        <dd>{rule.sentence}</dd>
        <dt>What to do</dt>
        <dd>{plainRemedy(rule.remedy)}</dd>
      </dl>
    ) : (
      <p className="mid above-4">Seen while the files were read.</p>
    )}
  </header>
)

/** Remedies name steps of a recipe in code, between backticks. */
const plainRemedy = (text: string) =>
  text.split('`').map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay where they are
      <code key={at} className="mono">
        {part}
      </code>
    ) : (
      part
    ),
  )
