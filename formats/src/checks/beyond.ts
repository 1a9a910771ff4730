import type { Beyond, BeyondRule } from './beyond-rule.ts'
import type { CheckReport } from './check-report.ts'
import { RuleRecorder } from './rule-recorder.ts'
import { duplicateElsewhere } from './sets/duplicate-elsewhere.ts'
import { revisionShift } from './sets/revision-shift.ts'

export const beyondRules: readonly BeyondRule[] = [duplicateElsewhere, revisionShift]

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
    findings: recorders.flatMap(({ recorder }) => recorder.findings),
    near: recorders.flatMap(({ recorder }) => recorder.near),
    unlisted: byRule((recorder) => recorder.unlisted || undefined),
    unlistedNear: byRule((recorder) => recorder.unlistedNear || undefined),
    strictest: byRule((recorder) => (recorder.strictest.size > 0 ? [...recorder.strictest] : undefined)),
  }
}
