import { Link } from '@tanstack/react-router'
import type { Checks, Rule, RuleCounts } from '../../data/checks.ts'
import { compareRules, type FamilyName, families, familyWords, nameRule, severityLooks } from '../../data/rule-names.ts'
import { formatCount, plural } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import './checks-nav.css'

interface ChecksNavProps {
  datasetId: string
  rules: readonly Rule[]
  checks: Checks
  shown: string | undefined
  /** Rules of pictures have nothing to look at without any. */
  hasCameras: boolean
}

/** Every rule by family, what has findings before what has none. */
export function ChecksNav({ datasetId, rules, checks, shown, hasCameras }: ChecksNavProps) {
  const params = { datasetId }
  const known = new Map(checks.rules.map((one) => [one.id, one]))
  const groups: { family: FamilyName; counts: RuleCounts[]; missing: Rule[] }[] = [
    ...families
      .filter((family) => hasCameras || family !== 'pictures')
      .map((family) => ({
        family,
        counts: checks.rules.filter((one) => one.family === family).sort(compareRules),
        missing: rules.filter((rule) => rule.family === family && !known.has(rule.id)),
      })),
    { family: 'files' as const, counts: checks.rules.filter((one) => one.family === null), missing: [] },
  ]
  return (
    <nav className="checks-nav" aria-label="Checks">
      <Link
        className="checks-rule"
        to="/datasets/$datasetId/checks"
        params={params}
        activeOptions={{ exact: true }}
        data-first
      >
        <b className="fill">Look at these first</b>
        <span className="count">{formatCount(checks.look_first.length)}</span>
      </Link>
      {groups.map(({ family, counts, missing }) => {
        if (counts.length + missing.length === 0) return null
        const quiet = counts.filter(isQuiet)
        const loud = counts.filter((one) => !isQuiet(one))
        return (
          <section key={family} aria-label={familyWords[family].title}>
            <div className="checks-family">
              <h2>{familyWords[family].title}</h2>
              <span className="small dim end">{describeFamily(checks.families[family], counts.length > 0)}</span>
            </div>
            {loud.map((one) => (
              <RuleLink key={one.id} datasetId={datasetId} counts={one} />
            ))}
            {quiet.length > 0 && (
              <details className="checks-quiet" open={loud.length === 0 || quiet.some(({ id }) => id === shown)}>
                <summary>
                  {plural(quiet.length, 'rule')} found nothing
                  <Icon name="down" small />
                </summary>
                {quiet.map((one) => (
                  <RuleLink key={one.id} datasetId={datasetId} counts={one} />
                ))}
              </details>
            )}
            {missing.map(({ id }) => (
              <Link
                key={id}
                className="checks-rule"
                to="/datasets/$datasetId/checks"
                params={params}
                search={{ rule: id }}
                data-quiet
              >
                <i className="checks-mark" />
                <span className="fill clip">{nameRule(id)}</span>
                <span className="dim small">not yet</span>
              </Link>
            ))}
          </section>
        )
      })}
    </nav>
  )
}

const isQuiet = ({ kind, findings, failed, needs_run }: RuleCounts): boolean =>
  kind === 'flag' && findings === 0 && failed === null && !needs_run

const RuleLink = ({ datasetId, counts }: { datasetId: string; counts: RuleCounts }) => (
  <Link
    className="checks-rule"
    to="/datasets/$datasetId/checks"
    params={{ datasetId }}
    search={{ rule: counts.id }}
    data-quiet={isQuiet(counts)}
  >
    <Mark counts={counts} />
    <span className="fill clip">{nameRule(counts.id)}</span>
    <Amount counts={counts} />
  </Link>
)

const describeFamily = (counted: { findings: number; episodes: number } | undefined, isLookedAt: boolean): string =>
  counted && counted.findings > 0
    ? `${formatCount(counted.findings)} in ${plural(counted.episodes, 'episode')}`
    : isLookedAt
      ? 'nothing found'
      : 'not looked at'

const Mark = ({ counts: { kind, severity, findings, failed } }: { counts: RuleCounts }) => (
  <i
    className="checks-mark"
    data-severity={failed ? 'failed' : kind === 'flag' && findings > 0 ? severity : undefined}
    data-ranking={kind === 'ranking'}
  />
)

function Amount({ counts: { kind, severity, findings, failed, needs_run } }: { counts: RuleCounts }) {
  if (failed) return <span className="small text-flag">failed</span>
  if (kind === 'ranking') return <span className="dim small">ranking</span>
  if (needs_run) return <span className="small text-loss">run again</span>
  if (findings === 0) return <span className="dim small">0</span>
  const { word, many } = severityLooks[severity]
  return (
    <span className="count">
      {formatCount(findings)}
      <span className="visually-hidden">{findings === 1 ? ` ${word}` : ` ${many}`}</span>
    </span>
  )
}
