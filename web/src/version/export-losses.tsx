import type { ExportLoss } from '@nmp/sdk/generated/records'
import { plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import './export-dialog.css'

/** What a form has no place for, feature by feature. */
export const Losses = ({ losses, none }: { losses: readonly ExportLoss[]; none: string }) =>
  losses.length === 0 ? (
    <p className="small mid above-12 row gap-6">
      <Icon name="check" small />
      {none}
    </p>
  ) : (
    <div className="export-losses above-12" role="group" aria-label="What is lost">
      <p className="row gap-6">
        <Icon name="loss" small />
        <b>{plural(losses.length, 'feature')} will be missing or changed</b>
      </p>
      <ul>
        {losses.map(({ feature, reason }) => (
          <li key={`${feature} ${reason}`}>
            <span className="mono">{feature}</span>: {reason}
          </li>
        ))}
      </ul>
    </div>
  )
