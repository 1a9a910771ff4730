import { buildAuthorization, discover, exchange, isFromProvider, redirectUri, takePending } from './oidc.ts'
import {
  dropTokens,
  forgetHint,
  getIdToken,
  hasHint,
  keepTokens,
  restoreSession,
  type SessionState,
  sessionState,
} from './session.ts'
import { useStore } from './store.ts'

export const useSession = (): SessionState => useStore(sessionState)

export async function signIn(returnTo = location.pathname + location.search): Promise<void> {
  location.assign(await buildAuthorization(returnTo, false))
}

/** Before the first page is drawn: finish a sign-in, take up the tab's session, or try quietly to be who the browser was. */
export async function beginSession(): Promise<string | undefined> {
  const url = new URL(location.href)
  if (url.pathname === '/signed-in' && url.searchParams.has('state')) return finishSignIn(url)
  // Our sign-in pages lead here: whoever this tab was, the browser's session is new.
  const isNew = url.searchParams.has('signed-in')
  url.searchParams.delete('signed-in')
  const address = url.pathname + url.search
  if ((await restoreSession()) && !isNew) return undefined
  if (isNew || hasHint()) {
    forgetHint()
    try {
      location.replace(await buildAuthorization(address, true))
      await new Promise(() => {})
    } catch {
      // The provider is away: the public pages still open.
    }
  }
  return isNew ? address : undefined
}

/** Answers the address to go on to, and throws when the provider refused. */
async function finishSignIn(url: URL): Promise<string> {
  const pending = takePending(url.searchParams.get('state'))
  const code = url.searchParams.get('code')
  await restoreSession()
  if (!pending) return '/'
  if (!code) {
    if (pending.silent) return pending.returnTo
    throw new Error(
      url.searchParams.get('error_description') ?? url.searchParams.get('error') ?? 'Sign-in was refused.',
    )
  }
  const provider = await discover()
  if (!isFromProvider(provider, url.searchParams.get('iss')))
    throw new Error('The answer came from a different issuer than the one that was asked.')
  keepTokens(
    await exchange(provider, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri(),
      code_verifier: pending.verifier,
    }),
  )
  return pending.returnTo
}

/** Ends the session here, at the API and at the provider. */
export async function signOut(endAtApi: () => Promise<unknown>): Promise<void> {
  const idToken = getIdToken()
  const provider = await discover()
  await endAtApi().catch(() => {})
  dropTokens()
  forgetHint()
  if (!provider.end_session_endpoint) return location.assign('/')
  const url = new URL(provider.end_session_endpoint)
  url.searchParams.set('client_id', provider.config.client_id)
  url.searchParams.set('post_logout_redirect_uri', `${location.origin}/`)
  if (idToken) url.searchParams.set('id_token_hint', idToken)
  location.assign(url.href)
}
