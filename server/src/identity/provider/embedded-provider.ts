import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'
import type { Context } from '../../context.ts'
import type { TellNewDevice } from '../devices/service.ts'
import { noteBrowser } from '../session-list/service.ts'
import { ownIssuer } from '../sessions.ts'
import { getCookieKeys, getSigningKeys } from '../signing-keys.ts'
import { configureProvider, type ProviderKeys } from './configuration.ts'

const keysMaxAgeMs = 30_000

export interface EmbeddedProvider {
  provider: Provider
  handle(request: IncomingMessage, response: ServerResponse): void
}

/** The provider with the keys of today: made anew when the operator has rotated them, in every process within half a minute. */
export function createEmbeddedProvider(
  context: Context,
  tellNewDevice: TellNewDevice,
): { get(): Promise<EmbeddedProvider> } {
  let held: (EmbeddedProvider & { version: string }) | undefined
  let pending: Promise<void> | undefined
  let checkedAt = 0

  const check = async (): Promise<void> => {
    const { db, secrets } = context
    const keys = { signing: await getSigningKeys(db, secrets), cookies: await getCookieKeys(db, secrets) }
    checkedAt = Date.now()
    const version = JSON.stringify(keys)
    if (held?.version !== version) held = { ...buildProvider(context, keys, tellNewDevice), version }
  }

  return {
    async get() {
      if (!held || Date.now() - checkedAt > keysMaxAgeMs) {
        pending ??= check().finally(() => {
          pending = undefined
        })
        await pending.catch((error: unknown) => {
          if (!held) throw error
        })
      }
      if (!held) throw new Error('The provider was not made.')
      return held
    },
  }
}

function buildProvider(context: Context, keys: ProviderKeys, tellNewDevice: TellNewDevice): EmbeddedProvider {
  const { db, log, publicUrl } = context
  const provider = new Provider(ownIssuer(publicUrl), configureProvider(context, keys, tellNewDevice))
  // The listener sets the forwarded headers itself, from the configured address: no client can choose them.
  provider.proxy = true
  provider.on('server_error', (ctx, error) =>
    log.error({ err: error, requestId: ctx.get('x-request-id') }, 'the identity provider failed'),
  )
  const emitter: EventEmitter = provider
  emitter.on('error', (error: Error) => log.error({ err: error }, 'the identity provider failed'))

  provider.use(async (ctx, next) => {
    // The provider would answer a code in the address with a page that submits itself by script; ours needs none.
    if (ctx.method === 'GET' && ctx.path === '/device' && ctx.query.user_code) {
      ctx.state.userCode = ctx.query.user_code
      ctx.querystring = ''
    }
    await next()
    const { oidc } = ctx as {
      oidc?: { route?: string; session?: { uid: string; accountId?: string; state?: unknown } }
    }
    if (oidc?.route === 'resume' && oidc.session?.accountId)
      await noteBrowser(db, oidc.session.accountId, oidc.session.uid, {
        address: ctx.ip,
        userAgent: ctx.get('user-agent'),
      })
    if (oidc?.route === 'device_authorization') shortenDeviceAddress(ctx.body, publicUrl)
    if (oidc?.route === 'end_session' && ctx.status === 200 && !oidc.session?.accountId) {
      const { postLogoutRedirectUri } = (oidc.session?.state ?? {}) as { postLogoutRedirectUri?: string }
      ctx.status = 303
      ctx.redirect(postLogoutRedirectUri ?? `${publicUrl}/account/signed-out`)
    }
  })
  return { provider, handle: provider.callback() }
}

/** What a person types from one screen to another. */
function shortenDeviceAddress(body: unknown, publicUrl: string): void {
  if (typeof body !== 'object' || body === null || !('user_code' in body)) return
  const address = `${publicUrl}/device`
  Object.assign(body, {
    verification_uri: address,
    verification_uri_complete: `${address}?user_code=${encodeURIComponent(String(body.user_code))}`,
  })
}
