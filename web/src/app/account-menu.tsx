import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../parts/menu.tsx'
import { signOut } from '../sign-in/sign-in.ts'
import { client } from './client.ts'
import { toggleTheme } from './theme.ts'
import { useMe } from './workspace.ts'

export function AccountMenu({ onKeys }: { onKeys(): void }) {
  const me = useMe()
  const cache = useQueryClient()
  const email = me.data?.email ?? ''
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="avatar">
          <span aria-hidden="true">{initials(email)}</span>
          <span className="vh">Account of {email}</span>
        </button>
      }
    >
      <MenuLabel>{email}</MenuLabel>
      <MenuItem asChild>
        <Link to="/settings/profile">Profile</Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/settings/tokens">Tokens</Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/settings/notifications">Notifications</Link>
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={toggleTheme}>
        Light or dark <kbd className="kbd end">T</kbd>
      </MenuItem>
      <MenuItem onSelect={onKeys}>
        Keyboard <kbd className="kbd end">?</kbd>
      </MenuItem>
      <MenuItem asChild>
        <a href="/docs">API</a>
      </MenuItem>
      <MenuLine />
      <MenuItem
        onSelect={() => {
          void signOut(() => client.users.signOut()).then(() => cache.clear())
        }}
      >
        Sign out
      </MenuItem>
    </Menu>
  )
}

function initials(email: string): string {
  const [name = ''] = email.split('@')
  const parts = name.split(/[._-]+/).filter(Boolean)
  return ((parts[0]?.[0] ?? '?') + (parts[1]?.[0] ?? parts[0]?.[1] ?? '')).toUpperCase()
}
