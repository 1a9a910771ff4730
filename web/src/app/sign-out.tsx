import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { client } from '../session/client.ts'
import { signOut } from '../session/sign-in.ts'

export function useSignOut(): () => void {
  const cache = useQueryClient()
  return () => void signOut(() => client.users.signOut()).then(() => cache.clear())
}

/** Asked only of who would lock themselves out. */
export function SignOutWithoutPassword({ onClose }: { onClose(): void }) {
  const leave = useSignOut()
  return (
    <Dialog title="Sign out without a password?" open onClose={onClose}>
      <p className="mid">
        Your account has no password, and the link that brought you in is spent. Only a new link lets you in again; the
        program prints one when it starts.
      </p>
      <div className="row above-12 wrap">
        <a className="button primary" href="/password/change">
          Set a password
        </a>
        <Button look="ghost" onClick={leave}>
          Sign out anyway
        </Button>
      </div>
    </Dialog>
  )
}
