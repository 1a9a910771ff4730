import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../parts/controls.tsx'
import { Empty } from '../parts/states.tsx'
import { signIn, useSession } from '../session/sign-in.ts'
import '../parts/sections.css'
import { SideNav } from '../parts/side-nav.tsx'

export function SettingsPage() {
  const session = useSession()
  useEffect(() => {
    document.title = 'Settings · nmp'
  }, [])
  if (session !== 'signed-in')
    return (
      <div className="page">
        <Empty
          title="Sign in to see your settings"
          actions={
            <Button look="primary" onClick={() => void signIn()}>
              Sign in
            </Button>
          }
        />
      </div>
    )
  return (
    <div className="set">
      <SideNav
        title="Settings"
        links={[
          { to: '/settings/profile', label: 'Profile', icon: 'person' },
          { to: '/settings/tokens', label: 'Tokens', icon: 'key' },
          { to: '/settings/notifications', label: 'Notifications', icon: 'bell' },
        ]}
      />
      <section className="set-main">
        <Outlet />
      </section>
    </div>
  )
}
