import type { ReactNode } from 'react'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { describe } from '../parts/faults.ts'
import { useChange } from '../parts/use-change.ts'

export type Visibility = 'private' | 'public'

export const visibilitySaid: Record<Visibility, string> = {
  public: 'Published in the catalog',
  private: 'Private again; links to its media no longer work',
}

interface PublishDialogProps {
  title: string
  /** What else is seen then, beside videos and files. */
  alsoSeen?: ReactNode
  onPublish(): Promise<unknown>
  onClose(): void
}

/** Publishing is asked about, since what was taken meanwhile is not taken back. */
export function PublishDialog({ title, alsoSeen, onPublish, onClose }: PublishDialogProps) {
  const publication = useChange(onPublish, { onDone: onClose, showsFault: true })
  return (
    <Dialog title={`Publish ${title}?`} open onClose={onClose}>
      <p className="mid">
        Everybody who reaches this address can then watch its videos and take its files, without an account. {alsoSeen}{' '}
        It can be made private again at any time; what was taken until then stays with who took it.
      </p>
      {publication.error && (
        <p className="callout above-12" role="alert">
          <b>It was not published: {describe(publication.error)}</b>
        </p>
      )}
      <div className="row above-12 wrap">
        <Button look="primary" disabled={publication.isPending} onClick={() => publication.mutate()}>
          {publication.isPending ? 'Publishing …' : 'Publish'}
        </Button>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  )
}
