import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { SideNav } from '../parts/side-nav.tsx'

export function SettingsPage() {
  useEffect(() => {
    document.title = 'Settings · nmp'
  }, [])
  return (
    <div className="sections">
      <SideNav
        title="Settings"
        links={[
          { to: '/settings/profile', label: 'Profile', icon: 'person' },
          { to: '/settings/security', label: 'Security', icon: 'lock' },
          { to: '/settings/tokens', label: 'Tokens', icon: 'key' },
          { to: '/settings/notifications', label: 'Notifications', icon: 'bell' },
        ]}
      />
      <section className="sections-main">
        <Outlet />
      </section>
    </div>
  )
}
