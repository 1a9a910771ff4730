import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useLiveEvents } from '../data/live.ts'
import { Toasts } from '../parts/toasts.tsx'
import { useKeys } from '../session/keys.ts'
import { useLacksPassword } from '../session/local-account.ts'
import { toggleTheme } from '../session/theme.ts'
import { useWorkspace } from '../session/workspace.ts'
import { BottomBar } from './bottom-bar.tsx'
import { JumpDialog } from './jump.tsx'
import { KeysSheet } from './keys-sheet.tsx'
import { MeSheet } from './me-sheet.tsx'
import { PasswordNotice } from './password-notice.tsx'
import { SignOutWithoutPassword, useSignOut } from './sign-out.tsx'
import { TopBar } from './top-bar.tsx'
import { useVisit } from './visit.ts'
import './shell.css'

/** The frame of every page: bars, jump, keys, toasts, the live stream. */
export function Shell() {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const [sheet, setSheet] = useState<'keys' | 'jump' | 'me' | 'sign-out'>()
  const goPressedAt = useRef(0)
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const lacksPassword = useLacksPassword()
  const signOut = useSignOut()
  const leave = () => (lacksPassword ? setSheet('sign-out') : signOut())
  useLiveEvents(workspace?.org, workspace?.project)
  useVisit(workspace)

  const goTo = (place: 'c' | 'd' | 'v' | 'i') => () => {
    if (Date.now() - goPressedAt.current > 1500) return
    goPressedAt.current = 0
    if (place === 'c') return void navigate({ to: '/' })
    if (!workspace) return
    const params = { org: workspace.org, project: workspace.project }
    const to = { d: 'datasets', v: 'versions', i: 'imports' } as const
    void navigate({ to: `/orgs/$org/projects/$project/${to[place]}`, params })
  }
  useKeys({
    '?': () => setSheet('keys'),
    t: toggleTheme,
    'mod+k': () => setSheet('jump'),
    '/': () => document.querySelector<HTMLInputElement>('input[data-page-search]')?.focus(),
    g: () => {
      goPressedAt.current = Date.now()
    },
  })
  // The second key of `G then …` must win over the page's own single keys, so it listens first.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const place = event.key.toLowerCase()
      if (Date.now() - goPressedAt.current > 1500 || !['c', 'd', 'v', 'i'].includes(place)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      goTo(place as 'c')()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  })

  return (
    <div className="app">
      <a className="button skip-link" href="#page">
        Skip to the content
      </a>
      <TopBar workspace={workspace} onJump={() => setSheet('jump')} onKeys={() => setSheet('keys')} onSignOut={leave} />
      <PasswordNotice />
      <main id="page" tabIndex={-1}>
        <Outlet />
      </main>
      {!/\/episodes\/\d|\/recipe$/.test(pathname) && <BottomBar workspace={workspace} onMe={() => setSheet('me')} />}
      <Toasts />
      <KeysSheet open={sheet === 'keys'} onClose={() => setSheet(undefined)} />
      {sheet === 'me' && workspace && (
        <MeSheet workspace={workspace} onClose={() => setSheet(undefined)} onSignOut={leave} />
      )}
      {sheet === 'sign-out' && <SignOutWithoutPassword onClose={() => setSheet(undefined)} />}
      {sheet === 'jump' && <JumpDialog workspace={workspace} onClose={() => setSheet(undefined)} />}
    </div>
  )
}
