import { discover, exchange, type Tokens } from './oidc.ts'
import { createStore, type Store } from './store.ts'

/**
 * The session of this tab: the access token in memory and, so that a reload needs no round trip, in sessionStorage; the
 * refresh token beside it, spent once each (the provider rotates it).
 */
export type SessionState = 'unknown' | 'signed-out' | 'signed-in'

const storageKey = 'nmp.session'
const hintKey = 'nmp.signed-in'
const renewBeforeMs = 5 * 60_000

let tokens: Tokens | undefined
let renewing: Promise<boolean> | undefined

export const sessionState: Store<SessionState> = createStore<SessionState>('unknown')

export function keepTokens(next: Tokens): void {
  tokens = next
  sessionStorage.setItem(storageKey, JSON.stringify(next))
  localStorage.setItem(hintKey, '1')
  sessionState.set('signed-in')
}

export function dropTokens(): void {
  tokens = undefined
  sessionStorage.removeItem(storageKey)
  sessionState.set('signed-out')
}

export const forgetHint = (): void => localStorage.removeItem(hintKey)
/** Whether this browser was signed in when it was last here: then a tab may try to be so too without asking. */
export const hasHint = (): boolean => localStorage.getItem(hintKey) === '1'

/** The tokens of this tab, unless the tab is a copy of one that still uses them: a refresh token spent twice ends both. */
export async function restoreSession(): Promise<boolean> {
  const isOurs = await claimTab()
  const stored = sessionStorage.getItem(storageKey)
  if (!stored || !isOurs) {
    sessionStorage.removeItem(storageKey)
    sessionState.set('signed-out')
    return false
  }
  tokens = JSON.parse(stored) as Tokens
  if (tokens.expiresAt - Date.now() < renewBeforeMs && !(await renew())) return false
  sessionState.set('signed-in')
  return true
}

/** The present access token, renewed when it is about to end. */
export async function getToken(): Promise<string | undefined> {
  if (tokens && tokens.expiresAt - Date.now() < renewBeforeMs) await renew()
  return tokens?.accessToken
}

export const getIdToken = (): string | undefined => tokens?.idToken

/** Silent renewal, one at a time. */
function renew(): Promise<boolean> {
  renewing ??= renewOnce().finally(() => {
    renewing = undefined
  })
  return renewing
}

async function renewOnce(): Promise<boolean> {
  if (!tokens?.refreshToken) {
    if (!tokens || tokens.expiresAt <= Date.now()) dropTokens()
    return tokens !== undefined
  }
  try {
    const provider = await discover()
    const next = await exchange(provider, { grant_type: 'refresh_token', refresh_token: tokens.refreshToken })
    keepTokens({
      ...next,
      refreshToken: next.refreshToken ?? tokens.refreshToken,
      idToken: next.idToken ?? tokens.idToken,
    })
    return true
  } catch (error) {
    // A network that is down is no reason to sign out; a token that is refused is.
    if (error instanceof TypeError && tokens.expiresAt > Date.now()) return true
    dropTokens()
    return false
  }
}

/** Web locks live as long as the page: a copied tab finds its id taken. */
async function claimTab(): Promise<boolean> {
  if (!navigator.locks) return true
  const id = sessionStorage.getItem('nmp.tab') ?? createTabId()
  sessionStorage.setItem('nmp.tab', id)
  const mine = await holdLock(id)
  if (!mine) {
    const fresh = createTabId()
    sessionStorage.setItem('nmp.tab', fresh)
    await holdLock(fresh)
  }
  return mine
}

const createTabId = (): string => [...crypto.getRandomValues(new Uint32Array(2))].join('-')

const holdLock = (id: string): Promise<boolean> =>
  new Promise((resolve) => {
    navigator.locks
      .request(`nmp-tab-${id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null)
        return lock ? new Promise(() => {}) : undefined
      })
      .catch(() => resolve(true))
  })
