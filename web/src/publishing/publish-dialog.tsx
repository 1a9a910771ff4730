import { type ReactNode, useState } from 'react'
import { Button, Check } from '../parts/controls.tsx'
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
  /** How many revisions it had before this one; without any there is nothing to choose. */
  earlierRevisions?: number
  onPublish(withHistory: boolean): Promise<unknown>
  onClose(): void
}

/** Publishing is asked about, since what was taken meanwhile is not taken back. */
export function PublishDialog({ title, alsoSeen, earlierRevisions = 0, onPublish, onClose }: PublishDialogProps) {
  const [withHistory, setWithHistory] = useState(false)
  const publication = useChange(() => onPublish(withHistory), { onDone: onClose, showsFault: true })
  return (
    <Dialog title={`Publish ${title}?`} open onClose={onClose}>
      <p className="mid">
        Everybody who reaches this address can then watch its videos and take its files, without an account. {alsoSeen}{' '}
        It can be made private again at any time; what was taken until then stays with who took it.
      </p>
      {earlierRevisions > 0 && (
        <label className="row above-12 items-start">
          <Check checked={withHistory} onChange={(event) => setWithHistory(event.target.checked)} />
          <span>
            Show the history too
            <span className="dim block">
              {earlierRevisions === 1 ? 'The revision' : `The ${earlierRevisions} revisions`} of before this one can
              then be read by everybody as well; otherwise this one and later ones.
            </span>
          </span>
        </label>
      )}
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
