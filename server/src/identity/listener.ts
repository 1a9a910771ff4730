import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import type { MountedListener, MountedRequest } from '../http/mount.ts'
import { findBrowserSession } from './browser-session.ts'
import { createDeviceMails, type TellNewDevice } from './devices/service.ts'
import { showAccount, showSignedOut, submitSignOut, submitSignOutEverywhere } from './pages/account.ts'
import { createFormGuard, type FormGuard } from './pages/form-guard.ts'
import { showInteraction, submitInteraction } from './pages/interaction.ts'
import { showInvite, submitInvite } from './pages/invite.ts'
import { viewForeignForm, viewMessage, viewTooMany } from './pages/messages.ts'
import { redirect, sendPage } from './pages/page.ts'
import type { PageHandler, PageRequest, Throttles } from './pages/page-request.ts'
import { showChange, showForgot, showReset, submitChange, submitForgot, submitReset } from './pages/password.ts'
import { showApp, submitApp } from './pages/second-step-app.ts'
import { showSessions, submitSessions } from './pages/sessions.ts'
import { showSignIn, submitSignIn } from './pages/sign-in.ts'
import { showTwoStep, submitTwoStep } from './pages/two-step.ts'
import { createEmbeddedProvider, type EmbeddedProvider } from './provider/embedded-provider.ts'
import { getCookieKeys } from './signing-keys.ts'
import { createThrottle, networkOf } from './throttle.ts'

/** The paths that sign-in answers, everything below them included. */
export const identityPrefixes = ['/oidc', '/sign-in', '/account', '/password', '/device', '/invite'] as const

export interface IdentityListener {
  handle: MountedListener
  /** Waits for mails that are on their way. */
  close(): Promise<void>
}

const pages: Record<string, { GET?: PageHandler; POST?: PageHandler }> = {
  '/sign-in': { GET: showSignIn, POST: submitSignIn },
  '/sign-in/*': { GET: showInteraction, POST: submitInteraction },
  '/account': { GET: showAccount },
  '/account/sessions': { GET: showSessions, POST: submitSessions },
  '/account/two-step': { GET: showTwoStep, POST: submitTwoStep },
  '/account/two-step/app': { GET: showApp, POST: submitApp },
  '/account/sign-out': { POST: submitSignOut },
  '/account/sign-out-everywhere': { POST: submitSignOutEverywhere },
  '/account/signed-out': { GET: showSignedOut },
  '/password/forgot': { GET: showForgot, POST: submitForgot },
  '/password/reset': { GET: showReset, POST: submitReset },
  '/password/change': { GET: showChange, POST: submitChange },
  '/invite': { GET: showInvite, POST: submitInvite },
}

interface Door {
  context: Context
  guard: FormGuard
  throttles: Throttles
  getProvider(): Promise<EmbeddedProvider>
  runAside(work: () => Promise<void>): void
  tellNewDevice: TellNewDevice
}

/** Sign-in as one listener: the embedded provider under /oidc and the pages around it; with an external issuer only a page that says so. */
export async function createIdentityListener(context: Context): Promise<IdentityListener> {
  if (context.config.NMP_OIDC_ISSUER) return { handle: answerElsewhere, close: async () => {} }
  const aside = new Set<Promise<void>>()
  const runAside = (work: () => Promise<void>): void => {
    const done: Promise<void> = work()
      .catch((error: unknown) => context.log.error({ err: error }, 'work after a sign-in page failed'))
      .finally(() => aside.delete(done))
    aside.add(done)
  }
  const tellNewDevice = createDeviceMails(context, runAside)
  const embedded = createEmbeddedProvider(context, tellNewDevice)
  const door: Door = {
    context,
    guard: createFormGuard(context.publicUrl, await getCookieKeys(context.db, context.secrets)),
    throttles: {
      accounts: createThrottle(context.db, 'accounts', { most: 10, minutes: 15 }),
      networks: createThrottle(context.db, 'networks', { most: 50, minutes: 15 }),
      mails: createThrottle(context.db, 'mails', { most: 3, minutes: 60 }),
      mailNetworks: createThrottle(context.db, 'mail-networks', { most: 20, minutes: 60 }),
      codes: createThrottle(context.db, 'codes', { most: 5, minutes: 15 }),
      deviceCodes: createThrottle(context.db, 'device-codes', { most: 30, minutes: 15 }),
    },
    getProvider: () => embedded.get(),
    runAside,
    tellNewDevice,
  }
  await embedded.get()
  return {
    handle(request, response, client) {
      answer(door, request, response, client).catch((error: unknown) => fail(context, response, client, error))
    },
    async close() {
      await Promise.all(aside)
    },
  }
}

async function answer(door: Door, request: IncomingMessage, response: ServerResponse, client: MountedRequest) {
  const { publicUrl } = door.context
  trustOwnAddress(request, publicUrl, client)
  const url = new URL(request.url ?? '/', publicUrl)
  if (url.pathname === '/device') return redirect(response, `${publicUrl}/oidc/device${url.search}`)
  if (url.pathname.startsWith('/oidc/')) return answerProvider(door, request, response, url, client)
  const found = pages[url.pathname] ?? (/^\/sign-in\/[\w-]+$/.test(url.pathname) ? pages['/sign-in/*'] : undefined)
  if (!found) return sendPage(response, viewMissing())
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = method === 'GET' || method === 'POST' ? found[method] : undefined
  if (!handler) {
    const allow = Object.keys(found).join(', ')
    return sendPage(response, { ...viewMissing(), status: 405, headers: { allow } })
  }
  const form = method === 'POST' ? await door.guard.readForm(request) : new URLSearchParams()
  if (!form) return sendPage(response, viewForeignForm(publicUrl))
  if ([...url.searchParams, ...form].flat().some((text) => text.includes('\0')))
    throw new ServiceError('malformed_request', 'NUL characters are not allowed in a field or an address.')
  const page: PageRequest = {
    ...door,
    request,
    response,
    url,
    client,
    form,
    issueToken: () => door.guard.issueToken(request, response),
    challenges: {
      issue: (purpose) => door.guard.issueChallenge(request, response, purpose),
      findEnd: (purpose, challenge) => door.guard.findChallengeEnd(request, purpose, challenge),
    },
  }
  await handler(page)
}

/** Only the address this program was given counts, whatever a client or a proxy put into the headers. */
function trustOwnAddress(request: IncomingMessage, publicUrl: string, client: MountedRequest): void {
  const { protocol, host } = new URL(publicUrl)
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = host
  request.headers['x-forwarded-for'] = client.address
  request.headers['x-request-id'] = client.requestId
}

async function answerProvider(
  door: Door,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  client: MountedRequest,
): Promise<void> {
  const { provider, handle } = await door.getProvider()
  const isForm = url.pathname === '/oidc/device' || url.pathname.startsWith('/oidc/session/')
  if (isForm && request.method === 'POST' && !door.guard.isSameOrigin(request))
    return sendPage(response, viewForeignForm(door.context.publicUrl))
  if (url.pathname === '/oidc/device') {
    // Who confirms a code must be known before the code is spent on them.
    if (!(await findBrowserSession(door.context.db, provider, request, response)))
      return redirect(
        response,
        `${door.context.publicUrl}/sign-in?next=${encodeURIComponent(`/device${request.method === 'POST' ? '' : url.search}`)}`,
      )
    if (request.method === 'POST') {
      const wait = await door.throttles.deviceCodes.count(networkOf(client.address))
      if (wait !== undefined) return sendPage(response, viewTooMany(wait))
    }
  }
  const mounted = request as IncomingMessage & { originalUrl?: string }
  mounted.originalUrl = request.url ?? ''
  request.url = mounted.originalUrl.slice('/oidc'.length)
  handle(request, response)
}

function fail(context: Context, response: ServerResponse, client: MountedRequest, error: unknown): void {
  const known = error instanceof ServiceError ? error : undefined
  if (!known || known.status >= 500)
    context.log.error({ err: error, requestId: client.requestId }, 'a sign-in page failed')
  if (response.headersSent) return void response.destroy()
  sendPage(
    response,
    viewMessage({
      status: known?.status ?? 500,
      ...(known ? { headers: known.headers } : {}),
      title: known ? 'That did not work' : 'Something went wrong on our side',
      text: known?.message ?? 'Try again in a moment. If it keeps happening, give the operator the number below.',
      detail: `Request ${client.requestId}`,
    }),
  )
}

const viewMissing = () =>
  viewMessage({
    status: 404,
    title: 'There is nothing here',
    text: 'There is no page at this address.',
    link: { href: '/', label: 'Open nmp' },
  })

const answerElsewhere: MountedListener = (_request, response) =>
  sendPage(
    response,
    viewMessage({
      status: 404,
      title: 'Sign in with your organization',
      text: "Your organization's identity provider manages accounts, passwords and devices. Open nmp, and it takes you there.",
      link: { href: '/', label: 'Open nmp' },
    }),
  )
