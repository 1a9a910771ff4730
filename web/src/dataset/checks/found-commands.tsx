import { Link } from '@tanstack/react-router'
import type { Finding, RuleCounts } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { type FlagReason, type NewFlag, useFlagging } from '../../data/flags.ts'
import { excludeEpisodes, includeEpisodes, useLeftOut } from '../../data/recipe/recipe-draft.ts'
import { nameRule } from '../../data/rule-names.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { showToast } from '../../parts/toasts.tsx'
import { canEdit } from '../../session/workspace.ts'
import { ReviewButton } from '../review/start-review.tsx'

interface FoundCommandsProps {
  dataset: Manifest
  counts: RuleCounts
  findings: readonly Finding[]
  indices: readonly number[]
}

/** One click for all that is listed: a flag with the frames and the reason, or out of the draft; both can be taken back. */
export function FoundCommands({ dataset, counts, findings, indices }: FoundCommandsProps) {
  const { flag } = useFlagging(dataset)
  const leftOut = useLeftOut(dataset.id)
  if (indices.length === 0) return null
  const reason = chooseReason(counts)
  const areOut = indices.every((index) => leftOut.has(index))
  const some = indices.some((index) => leftOut.has(index))
  const toggle = () => {
    const undo = (areOut ? includeEpisodes : excludeEpisodes)(dataset.id, indices)
    showToast(`${plural(indices.length, 'episode')} ${areOut ? 'back in the draft' : 'left out of the draft'}`, undo)
  }
  return (
    <span className="end row wrap gap-6">
      {some && (
        <Link className="link small" to="/datasets/$datasetId/recipe" params={{ datasetId: dataset.id }}>
          Open the recipe
        </Link>
      )}
      <ReviewButton dataset={dataset} name={nameRule(counts.id)} indices={indices} />
      {canEdit(dataset.role) && (
        <Button
          small
          icon="flag"
          title={`Flags ${plural(indices.length, 'episode')} as ${reason}`}
          onClick={() => flag(makeFlags(findings, indices, counts.id, reason))}
        >
          Flag all {formatCount(indices.length)}
        </Button>
      )}
      <Button small onClick={toggle}>
        {areOut ? 'Put all back' : `Leave out all ${formatCount(indices.length)}`}
      </Button>
    </span>
  )
}

function chooseReason({ id, family }: RuleCounts): FlagReason {
  if (id === 'shakiness') return 'shaky'
  if (family === 'pictures') return 'camera'
  return family === 'signals' ? 'tracking' : 'other'
}

const mostNote = 2000

/** One flag an episode: of the frames where there is one finding, of the whole episode where there are several. */
function makeFlags(
  findings: readonly Finding[],
  indices: readonly number[],
  rule: string,
  reason: FlagReason,
): NewFlag[] {
  const byEpisode = Map.groupBy(findings, ({ episode_index }) => episode_index)
  return indices.map((episode_index) => {
    const found = byEpisode.get(episode_index) ?? []
    const [first] = found
    const isOne = found.length === 1 && first && first.frame_from !== null && first.frame_to !== null
    return {
      episode_index,
      reason,
      note: `${nameRule(rule)}: ${found.map(({ sentence }) => sentence).join(' ')}`.slice(0, mostNote),
      ...(isOne ? { start_frame: first.frame_from, end_frame: first.frame_to } : {}),
    }
  })
}
