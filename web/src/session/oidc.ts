import type { ConsoleConfig } from '@nmp/sdk/generated/records'
import { hashSha256 } from './sha256.ts'

export interface Provider {
  config: ConsoleConfig
  authorization_endpoint: string
  token_endpoint: string
  end_session_endpoint?: string
  issuer?: string
  scopes_supported?: string[]
}

export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string | undefined
  expiresAt: number
}

let found: Promise<Provider> | undefined
let config: Promise<ConsoleConfig> | undefined

export function getConsoleConfig(): Promise<ConsoleConfig> {
  config ??= fetchJson<{ item: ConsoleConfig }>('/api/v1/console-config').then(({ item }) => item)
  config.catch(() => {
    config = undefined
  })
  return config
}

export function discover(): Promise<Provider> {
  found ??= getConsoleConfig().then(async (known) => ({
    ...(await fetchJson<Omit<Provider, 'config'>>(
      `${known.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    )),
    config: known,
  }))
  found.catch(() => {
    found = undefined
  })
  return found
}

async function fetchJson<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return (await response.json()) as T
}

export const redirectUri = (): string => `${location.origin}/signed-in`

/** Where a code challenge and what belongs to it wait while the person is at the provider. */
const pendingKey = 'nmp.sign-in'

export interface Pending {
  state: string
  verifier: string
  returnTo: string
  silent: boolean
}

export async function buildAuthorization(returnTo: string, silent: boolean): Promise<string> {
  const provider = await discover()
  const pending: Pending = { state: randomText(), verifier: randomText(), returnTo, silent }
  sessionStorage.setItem(pendingKey, JSON.stringify(pending))
  const url = new URL(provider.authorization_endpoint)
  const parameters: Record<string, string> = {
    client_id: provider.config.client_id,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: pickScopes(provider),
    state: pending.state,
    code_challenge: encodeBase64Url(hashSha256(pending.verifier)),
    code_challenge_method: 'S256',
    ...(silent ? { prompt: 'none' } : {}),
    // Issuers elsewhere (Auth0, Okta) want to hear whom the token is for; ours knows.
    ...(provider.config.issuer.startsWith(location.origin) ? {} : { audience: provider.config.audience }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** A scope that an issuer does not list (Google has no `offline_access`) may have it refuse the whole request. */
const pickScopes = ({ config: { scopes }, scopes_supported: known }: Provider): string =>
  (known?.includes('openid') ? scopes.filter((scope) => known.includes(scope)) : scopes).join(' ')

/** RFC 9207: an answer that names its issuer must name this one. */
export const isFromProvider = ({ issuer }: Provider, named: string | null): boolean =>
  named === null || issuer === undefined || named === issuer

export function takePending(state: string | null): Pending | undefined {
  const text = sessionStorage.getItem(pendingKey)
  sessionStorage.removeItem(pendingKey)
  if (!text) return undefined
  const pending = JSON.parse(text) as Pending
  return pending.state === state ? pending : undefined
}

export async function exchange(provider: Provider, grant: Record<string, string>): Promise<Tokens> {
  const response = await fetch(provider.token_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ client_id: provider.config.client_id, ...grant }),
  })
  const body = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(String(body.error_description ?? body.error ?? response.status))
  return {
    accessToken: String(body.access_token),
    refreshToken: typeof body.refresh_token === 'string' ? body.refresh_token : undefined,
    idToken: typeof body.id_token === 'string' ? body.id_token : undefined,
    expiresAt: Date.now() + Number(body.expires_in ?? 300) * 1000,
  }
}

const randomText = (): string => encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))

const encodeBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
