import { type ReactNode, useState } from 'react'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { describe } from '../parts/states.tsx'

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
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<unknown>()
  const publish = () => {
    setBusy(true)
    setFault(undefined)
    onPublish().then(onClose, (error) => {
      setFault(error)
      setBusy(false)
    })
  }
  return (
    <Dialog title={`Publish ${title}?`} open onClose={onClose}>
      <p className="mid">
        Everybody who reaches this address can then watch its videos and take its files, without an account. {alsoSeen}{' '}
        It can be made private again at any time; what was taken until then stays with who took it.
      </p>
      {fault !== undefined && (
        <p className="say mt-3" role="alert">
          <b>It was not published: {describe(fault)}</b>
        </p>
      )}
      <div className="row mt-3 flex-wrap">
        <Button look="primary" disabled={isBusy} onClick={publish}>
          {isBusy ? 'Publishing …' : 'Publish'}
        </Button>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  )
}
