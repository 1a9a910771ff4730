import { useState } from 'react'
import { IconButton } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLacksPassword } from '../session/local-account.ts'
import './password-notice.css'

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
    <aside className="password-notice" aria-label="Password">
      <Icon name="key" small />
      <span className="fill">
        <b>Your account has no password.</b>{' '}
        <span className="mid desktop-only">
          Once you sign out, you need a new link from the operator to get back in.
        </span>
      </span>
      <a className="button small" href="/password/change">
        Set a password
      </a>
      <IconButton icon="close" label="Not now" look="ghost" small onClick={putAway} />
    </aside>
  )
}
