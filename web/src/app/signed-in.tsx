import { Outlet, useMatches } from '@tanstack/react-router'
import { Button } from '../parts/controls.tsx'
import { Empty, NothingHere } from '../parts/states.tsx'
import { signIn, useSession } from '../session/sign-in.ts'

/** Pages that are somebody's: who is not signed in reads what the page is, and may sign in there. */
export function SignedIn() {
  const session = useSession()
  const matches = useMatches()
  if (session === 'signed-in') return <Outlet />
  const said = matches.findLast(({ staticData }) => staticData.signedOut)?.staticData.signedOut
  return (
    <div className="page">
      {said ? (
        <Empty
          title={said}
          actions={
            <Button look="primary" onClick={() => void signIn()}>
              Sign in
            </Button>
          }
        />
      ) : (
        <NothingHere />
      )}
    </div>
  )
}
