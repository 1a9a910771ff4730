import { Findings } from '../finding.ts'
import type { Beyond, BeyondRule } from './beyond-rule.ts'
import { type CheckReport, takeFinding } from './check-report.ts'
import { RuleRecorder } from './rule-recorder.ts'
import { duplicateElsewhere } from './sets/duplicate-elsewhere.ts'
import { nearDuplicateElsewhere } from './sets/near-duplicate-elsewhere.ts'
import { revisionShift } from './sets/revision-shift.ts'

export const beyondRules: readonly BeyondRule[] = [duplicateElsewhere, nearDuplicateElsewhere, revisionShift]

const inPart = 'elsewhere-compared-in-part'

/** Everything that is said of what lies beyond a recording. */
export const beyondIds: ReadonlySet<string> = new Set([...beyondRules.map(({ id }) => id), inPart])
/** Of it, what names other datasets of the project, which not everybody who sees this one may see. */
export const namesOthers: ReadonlySet<string> = new Set([duplicateElsewhere.id, nearDuplicateElsewhere.id, inPart])

type Told = Pick<CheckReport, 'findings' | 'near' | 'unlisted' | 'unlistedNear' | 'strictest'>

/** What these rules say; kept down to their loosest cut-offs. */
export function tellBeyond(beyond: Beyond, cutOffs: ReadonlyMap<string, number>): Told {
  const recorders = beyondRules.map((rule) => {
    const recorder = new RuleRecorder(rule, {
      cutOff: cutOffs.get(rule.id),
      keepsNear: true,
      sourceIndexOf: (episodeIndex) => episodeIndex,
    })
    rule.tell(beyond, recorder)
    return { rule, recorder }
  })
  const byRule = <T>(pick: (recorder: RuleRecorder) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      recorders.flatMap(({ rule, recorder }) => {
        const value = pick(recorder)
        return value === undefined ? [] : [[rule.id, value]]
      }),
    )
  return {
    findings: [...recorders.flatMap(({ recorder }) => recorder.findings), ...tellPart(beyond)],
    near: recorders.flatMap(({ recorder }) => recorder.near),
    unlisted: byRule((recorder) => recorder.unlisted || undefined),
    unlistedNear: byRule((recorder) => recorder.unlistedNear || undefined),
    strictest: byRule((recorder) => (recorder.strictest.size > 0 ? [...recorder.strictest] : undefined)),
  }
}

function tellPart({ notCompared }: Beyond): CheckReport['findings'] {
  const findings = new Findings()
  if (notCompared > 0)
    findings.add(
      inPart,
      `${notCompared} episodes of other datasets of the project were not compared with these for near-duplicates: there are too many.`,
    )
  return findings.list.map(takeFinding)
}
