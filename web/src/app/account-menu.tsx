import { Link } from '@tanstack/react-router'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../parts/menu.tsx'
import { toggleTheme } from '../session/theme.ts'
import { useMe } from '../session/workspace.ts'
import './top-bar.css'

export function AccountMenu({ onKeys, onSignOut }: { onKeys(): void; onSignOut(): void }) {
  const me = useMe()
  const email = me.data?.email ?? ''
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="avatar">
          <span aria-hidden="true">{initials(email)}</span>
          <span className="visually-hidden">Account of {email}</span>
        </button>
      }
    >
      <MenuLabel>{email}</MenuLabel>
      <MenuLabel>Settings</MenuLabel>
      <MenuItem asChild>
        <Link to="/settings/profile">Profile</Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/settings/security">Security</Link>
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
        <Link to="/status">Status</Link>
      </MenuItem>
      <MenuItem asChild>
        <a href="/docs">API</a>
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={onSignOut}>Sign out</MenuItem>
    </Menu>
  )
}

function initials(email: string): string {
  const [name = ''] = email.split('@')
  const parts = name.split(/[._-]+/).filter(Boolean)
  return ((parts[0]?.[0] ?? '?') + (parts[1]?.[0] ?? parts[0]?.[1] ?? '')).toUpperCase()
}
