import { type ReactNode, useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { Button } from '../parts/controls.tsx'
import { describe } from '../parts/faults.ts'
import { useChange } from '../parts/use-change.ts'
import { PublishDialog, type Visibility } from './publish-dialog.tsx'

interface VisibilitySectionProps {
  dataset: Pick<Manifest, 'title' | 'project_slug' | 'visibility' | 'role'>
  alsoSeen?: ReactNode
  earlierRevisions?: number
  onChange(visibility: Visibility, withHistory: boolean): Promise<unknown>
}

/** Who sees a dataset or a version. */
export function VisibilitySection({ dataset, alsoSeen, earlierRevisions, onChange }: VisibilitySectionProps) {
  const [isAsking, setAsking] = useState(false)
  const isPublic = dataset.visibility === 'public'
  const withdrawal = useChange(() =>
    onChange('private', false).catch((error) => {
      throw new Error(`It is still public: ${describe(error)}`)
    }),
  )
  const { isPending: isBusy } = withdrawal
  return (
    <section>
      <h2>Who sees it</h2>
      <p className="mid above-4 below-8">
        {isPublic
          ? 'Everyone: it is in the catalog, and its videos and files can be downloaded without an account.'
          : `People with a role in ${dataset.project_slug}. Publishing puts it in the catalog for everyone.`}
      </p>
      <Button
        disabled={dataset.role !== 'admin' || isBusy}
        onClick={() => (isPublic ? withdrawal.mutate() : setAsking(true))}
      >
        {isPublic ? (isBusy ? 'Making it private …' : 'Make private') : 'Publish in the catalog'}
      </Button>
      {dataset.role !== 'admin' && (
        <p className="small dim above-4">{isPublic ? 'Making it private' : 'Publishing'} needs a project admin.</p>
      )}
      {isAsking && (
        <PublishDialog
          title={dataset.title}
          alsoSeen={alsoSeen}
          {...(earlierRevisions === undefined ? {} : { earlierRevisions })}
          onPublish={(withHistory) => onChange('public', withHistory)}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  )
}
