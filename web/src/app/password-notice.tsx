import { useState } from 'react'
import { IconButton } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLacksPassword } from './local-account.ts'

/** Stays until there is a password or it is put away for this visit. */
export function PasswordNotice() {
  const lacksPassword = useLacksPassword()
  const [isAway, setAway] = useState(false)
  if (!lacksPassword || isAway) return null
  return (
    <aside className="notice" aria-label="Password">
      <Icon name="key" small />
      <span className="fill">
        <b>Your account has no password.</b>{' '}
        <span className="mid">Signed out, you could come in by a new link of the operator only.</span>
      </span>
      <a className="btn sm" href="/password/change">
        Set a password
      </a>
      <IconButton icon="close" label="Not now" look="ghost" small onClick={() => setAway(true)} />
    </aside>
  )
}
