import { useState } from 'react'
import { IconButton } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLacksPassword } from '../session/local-account.ts'

const awayKey = 'nmp.password-later'

/** Stays until there is a password, or until it is put away for this visit. */
export function PasswordNotice() {
  const lacksPassword = useLacksPassword()
  const [isAway, setAway] = useState(() => sessionStorage.getItem(awayKey) === '1')
  const putAway = () => {
    sessionStorage.setItem(awayKey, '1')
    setAway(true)
  }
  if (!lacksPassword || isAway) return null
  return (
    <aside className="notice" aria-label="Password">
      <Icon name="key" small />
      <span className="fill">
        <b>Your account has no password.</b>{' '}
        <span className="mid desk">Once you sign out, you need a new link from the operator to get back in.</span>
      </span>
      <a className="btn sm" href="/password/change">
        Set a password
      </a>
      <IconButton icon="close" label="Not now" look="ghost" small onClick={putAway} />
    </aside>
  )
}
