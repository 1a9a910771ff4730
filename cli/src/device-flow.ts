import { hostname } from 'node:os'
import { sleep } from '@nmp/sdk/retry'
import { CommandError, exitCodes } from './failures.ts'
import type { Session } from './session.ts'
import { version } from './version.ts'

const clientId = 'nmp-cli'
const grantType = 'urn:ietf:params:oauth:grant-type:device_code'

interface DeviceAnswer {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete?: string
  expires_in: number
  interval?: number
}

/** RFC 8628: a person confirms a code in a browser, anywhere; answers a session token of an hour. */
export async function signInByDevice(session: Session, baseUrl: string): Promise<string> {
  const { item: config } = await session.openClient(baseUrl, undefined).platform.getConsoleConfig()
  const endpoints = await discover(config.issuer, session.signal)
  if (!endpoints.device_authorization_endpoint) throw new CommandError(sayNoDevice(baseUrl), exitCodes.credential)
  const asked = await postForm(
    endpoints.device_authorization_endpoint,
    { client_id: clientId, scope: 'openid email' },
    session.signal,
  )
  if (!asked.ok) throw new CommandError(sayNoDevice(baseUrl), exitCodes.credential)
  const device = (await asked.json()) as DeviceAnswer
  session.tell(`Open ${device.verification_uri_complete ?? device.verification_uri}`)
  session.tell(`and confirm the code ${device.user_code}. Waiting; press Ctrl-C to stop.`)
  return pollToken(endpoints.token_endpoint, device, session.signal)
}

async function pollToken(endpoint: string, device: DeviceAnswer, signal: AbortSignal): Promise<string> {
  let intervalSeconds = device.interval ?? 5
  const until = Date.now() + device.expires_in * 1000
  while (Date.now() < until) {
    await sleep(intervalSeconds * 1000, signal)
    const form = { grant_type: grantType, device_code: device.device_code, client_id: clientId }
    const response = await postForm(endpoint, form, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (Date.now() > until) throw error
      return undefined
    })
    if (!response) continue
    const answer = (await response.json()) as { access_token?: string; error?: string; error_description?: string }
    if (answer.access_token) return answer.access_token
    if (answer.error === 'slow_down') intervalSeconds += 5
    else if (answer.error !== 'authorization_pending') throw new CommandError(sayRefused(answer), exitCodes.credential)
  }
  throw new CommandError('The code was not confirmed in time. Run it again.', exitCodes.credential)
}

const sayRefused = ({ error, error_description }: { error?: string; error_description?: string }): string =>
  error === 'access_denied'
    ? 'The sign-in was refused in the browser.'
    : `The sign-in failed: ${error_description ?? error ?? 'no reason given'}.`

const sayNoDevice = (baseUrl: string): string =>
  `The identity provider of ${baseUrl} does not offer sign-in by code. Create a token in the console and run nmp login --token.`

async function discover(issuer: string, signal: AbortSignal) {
  const address = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  const response = await fetch(address, { signal, headers: { accept: 'application/json' } }).catch(() => undefined)
  if (!response?.ok)
    throw new CommandError(
      `${address} does not answer, so nobody can sign in. Use nmp login --token.`,
      exitCodes.unreachable,
    )
  return (await response.json()) as { token_endpoint: string; device_authorization_endpoint?: string }
}

/** The page that asks for confirmation shows the user agent. */
const postForm = (address: string, form: Record<string, string>, signal: AbortSignal): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    signal,
    headers: { 'user-agent': `nmp ${version} on ${hostname()}`, accept: 'application/json' },
    body: new URLSearchParams(form),
  })
