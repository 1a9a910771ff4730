import { useQuery } from '@tanstack/react-query'
import { type Checks, checksOf, findingsQuery, type Rule, type RuleCounts } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { formatCutOff, makeScale } from '../../data/recipe/cut-off.ts'
import { refresh } from '../../data/refresh.ts'
import { nameRule } from '../../data/rule-names.ts'
import { Button } from '../../parts/controls.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useChange } from '../../parts/use-change.ts'
import { canEdit } from '../../session/workspace.ts'
import { CutOffTrack } from './cut-off-track.tsx'
import './cut-off.css'

interface CutOffProps {
  dataset: Manifest
  checks: Checks
  rule: Rule
  counts: RuleCounts
  value: number
  onChange(value: number): void
}

/** From where on something is found: dragged where stored results tell what another one finds, typed where only another run does. */
export function CutOff({ dataset, checks, rule, counts, value, onChange }: CutOffProps) {
  const inForce = counts.cut_off ?? value
  const own = rule.cut_off ?? value
  const loosest = findLoosest(rule, counts)
  const near = useQuery({
    ...findingsQuery(dataset.id, rule.id, loosest ?? undefined),
    enabled: loosest !== null,
  })
  const values = near.data?.items.flatMap((finding) => (finding.value === null ? [] : [Math.abs(finding.value)])) ?? []
  const scale = makeScale(rule, loosest, values)
  const save = useSaving(dataset, checks, rule)
  const isTried = value !== inForce
  const mayEdit = canEdit(dataset.role)
  return (
    <div className="cutoff" role="group" aria-label="Cut-off">
      <div className="row wrap gap-6 min-height-28">
        <span className="dim">{describeSide(rule)}</span>
        <b className="cutoff-value" data-tried={isTried}>
          {formatCutOff(value)}
        </b>
        <span className="mid">{rule.unit === 'none' ? '' : rule.unit}</span>
        <span className="dim small">{describeValue(value, own, inForce)}</span>
        <span className="end row gap-6">
          {isTried && (
            <Button small look="ghost" onClick={() => onChange(inForce)}>
              Back to {formatCutOff(inForce)}
            </Button>
          )}
          {!isTried && value !== own && mayEdit && (
            <Button small look="ghost" disabled={save.isPending} onClick={() => save.mutate({ cutOff: own })}>
              Use the default {formatCutOff(own)}
            </Button>
          )}
          {isTried && mayEdit && (
            <Button small look="primary" disabled={save.isPending} onClick={() => save.mutate({ cutOff: value })}>
              Save for this dataset
            </Button>
          )}
        </span>
      </div>
      {loosest === null || (!scale && near.data) ? (
        <div className="row wrap gap-12 above-4">
          <span className="max-width-140">
            <NumberField
              label="Cut-off"
              value={value}
              isRequired
              onChange={(next) => next !== null && onChange(next)}
            />
          </span>
          <p className="small dim max-width-420">
            This rule looks at the frames anew for another cut-off: save it, then check again.
          </p>
        </div>
      ) : scale && near.data ? (
        <CutOffTrack rule={rule} scale={scale} values={values} own={own} value={value} onChange={onChange} />
      ) : (
        <div className="cutoff-track" />
      )}
    </div>
  )
}

/** Down to where stored results tell what is found. */
function findLoosest({ loosest, direction }: Rule, { cut_off: inForce, needs_run }: RuleCounts): number | null {
  if (loosest === null || inForce === null || needs_run) return loosest
  return direction === 'below' ? Math.max(loosest, inForce) : Math.min(loosest, inForce)
}

const describeSide = ({ direction, inclusive }: Rule): string =>
  direction === 'below' ? (inclusive ? 'Found up to' : 'Found below') : inclusive ? 'Found from' : 'Found above'

const describeValue = (value: number, own: number, inForce: number): string =>
  value !== inForce
    ? 'tried, not saved'
    : value === own
      ? 'the default'
      : `saved for this dataset; default ${formatCutOff(own)}`

function useSaving(dataset: Manifest, { settings }: Checks, { id, cut_off: own }: Rule) {
  const send = (cutOffs: Record<string, number>) =>
    checksOf(dataset).putSettings({ cut_offs: cutOffs, pictures: settings.pictures })
  const undoing = useChange((before: Record<string, number>) => send(before), {
    onDone: () => refresh.checks(dataset.id),
  })
  return useChange(
    async ({ cutOff }: { cutOff: number }) => {
      const { [id]: _, ...others } = settings.cut_offs
      await send(cutOff === own ? others : { ...others, [id]: cutOff })
      return settings.cut_offs
    },
    {
      onDone: async (before, { cutOff }) => {
        await refresh.checks(dataset.id)
        showToast(`${nameRule(id)}: ${formatCutOff(cutOff)} for everybody in this dataset`, () =>
          undoing.mutate(before),
        )
      },
    },
  )
}
