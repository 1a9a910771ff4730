import * as oidc from 'openid-client'
import type { Browser, Visit } from './browser.ts'

export interface SignedIn {
  client: oidc.Configuration
  accessToken: string
  refreshToken: string
  idToken: string
  /** The address the authorization code came back to. */
  callback: URL
  checks: oidc.AuthorizationCodeGrantChecks
}

export const discover = (origin: string, clientId: string): Promise<oidc.Configuration> =>
  oidc.discovery(new URL(`${origin}/oidc`), clientId, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  })

interface Authorization {
  origin: string
  browser: Browser
  clientId?: string
  redirectUri?: string
  /** What the person does on the page that the browser ends at; nothing when it was signed in already. */
  act?(page: Visit): Promise<Visit>
  parameters?: Record<string, string>
}

/** The authorization code flow with PKCE, as openid-client does it, up to the callback. */
export async function authorize({ origin, browser, act, parameters, ...options }: Authorization) {
  const { clientId = 'nmp-console', redirectUri = `${origin}/signed-in` } = options
  const client = await discover(origin, clientId)
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const expectedState = oidc.randomState()
  const address = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    ...parameters,
  })
  const page = await browser.open(address.href)
  const end = act ? await act(page) : page
  return { client, callback: new URL(end.address), checks: { pkceCodeVerifier, expectedState } }
}

export async function signIn(authorization: Authorization): Promise<SignedIn> {
  const { client, callback, checks } = await authorize(authorization)
  const tokens = await oidc.authorizationCodeGrant(client, callback, checks)
  return {
    client,
    callback,
    checks,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
    idToken: tokens.id_token ?? '',
  }
}
