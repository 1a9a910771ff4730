import type { SuggestedMap } from '@nmp/sdk/generated/records'
import type { SourceFault } from './source-faults.ts'
import './source-map.css'

export type SuggestedRow = SuggestedMap['rows'][number]

interface MapReasonProps {
  /** What was suggested for this line; undefined where the names are the same on both sides. */
  row: SuggestedRow | undefined
  /** Nothing was found that could be suggested. */
  isOpen?: boolean
  /** It says something else than was suggested. */
  isCorrected: boolean
  faults: readonly SourceFault[]
}

/** What a line rests on, who says so, and what the server says against it. */
export function MapReason({ row, isOpen = false, isCorrected, faults }: MapReasonProps) {
  return (
    <div className="map-reason">
      {isCorrected ? (
        <p>
          <span className="chip tiny">Corrected</span> by you{row && `; suggested was: ${row.reason}`}
        </p>
      ) : row ? (
        <p>
          {!row.is_sure && !isOpen && <span className="chip tiny line">Suggested</span>} {row.reason}
        </p>
      ) : (
        <p>The same name on both sides.</p>
      )}
      <LineFaults faults={faults} />
    </div>
  )
}

export const LineFaults = ({ faults }: { faults: readonly SourceFault[] }) =>
  faults.map(({ sentence, path }) => (
    <p key={`${path.join(' ')} ${sentence}`} className="text-flag" role="alert">
      {sentence}
    </p>
  ))
