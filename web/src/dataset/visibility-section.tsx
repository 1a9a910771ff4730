import type { DatasetManifest } from '@nmp/sdk/generated/records'
import { useState } from 'react'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { DatasetChange } from '../project/queries.ts'

interface VisibilitySectionProps {
  dataset: DatasetManifest
  onChange(body: DatasetChange, said: string, undo: DatasetChange): void
}

/** Who sees the dataset. Publishing is asked about, since what was taken meanwhile is not taken back. */
export function VisibilitySection({ dataset, onChange }: VisibilitySectionProps) {
  const [isAsking, setAsking] = useState(false)
  const isPublic = dataset.visibility === 'public'
  const change = (visibility: 'public' | 'private', said: string) => {
    setAsking(false)
    onChange({ visibility }, said, { visibility: dataset.visibility })
  }
  return (
    <section>
      <h2>Who sees it</h2>
      <p className="mid mt-1 mb-2">
        {isPublic
          ? 'Everybody: it stands in the catalog, its videos and files can be taken without an account.'
          : `People with a role in ${dataset.project_slug}. Publishing puts it in the catalog for everybody.`}
      </p>
      <Button
        disabled={dataset.role !== 'admin'}
        onClick={() => (isPublic ? change('private', 'Private now; links to its media have ended') : setAsking(true))}
      >
        {isPublic ? 'Make private' : 'Publish in the catalog'}
      </Button>
      {dataset.role !== 'admin' && <p className="sm dim mt-1">Publishing needs a project admin.</p>}
      <Dialog title={`Publish ${dataset.title}?`} open={isAsking} onClose={() => setAsking(false)}>
        <p className="mid">
          Everybody who reaches this address can then watch its videos and take its files, without an account. It can be
          made private again at any time; what was taken until then stays with who took it.
        </p>
        <div className="row mt-3 flex-wrap">
          <Button look="primary" onClick={() => change('public', 'Public now, in the catalog')}>
            Publish
          </Button>
          <Button look="ghost" onClick={() => setAsking(false)}>
            Cancel
          </Button>
        </div>
      </Dialog>
    </section>
  )
}
