import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Context } from '../../context.ts'
import { cliClientId, consoleClientId } from '../client-ids.ts'
import type { TellNewDevice } from '../devices/service.ts'
import { describeDevice } from '../pages/device.ts'
import { findAccountById } from '../repository.ts'
import { noteGrant } from '../session-list/service.ts'
import { apiAudience } from '../sessions.ts'
import type { SigningKey } from '../signing-keys.ts'
import { createAdapterFactory } from './adapter.ts'
import { listClients } from './clients.ts'
import { createProviderPages } from './provider-pages.ts'

const minute = 60
const day = 24 * 60 * minute
const accessTokenSeconds = 60 * minute

export interface ProviderKeys {
  signing: readonly SigningKey[]
  cookies: readonly string[]
}

/** How the embedded provider behaves. Whatever it would warn about at run time is decided here. */
export function configureProvider(context: Context, keys: ProviderKeys, tellNewDevice: TellNewDevice): Configuration {
  const { db, publicUrl, config } = context
  const https = publicUrl.startsWith('https:')
  const pages = createProviderPages(context)
  return {
    adapter: createAdapterFactory(db, context.secrets),
    clients: listClients(publicUrl),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    jwks: { keys: keys.signing.map((key) => ({ ...key })) },
    cookies: {
      keys: [...keys.cookies],
      names: nameCookies(https),
      long: { httpOnly: true, sameSite: 'lax', secure: https, signed: true, overwrite: true, path: '/' },
      short: { httpOnly: true, sameSite: 'lax', secure: https, signed: true, overwrite: true },
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: minute,
      DeviceCode: 10 * minute,
      Grant: 90 * day,
      IdToken: 60 * minute,
      Interaction: 60 * minute,
      RefreshToken: 30 * day,
      Session: 30 * day,
    },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Signing out of the browser ends the console; the command line was signed in to stay.
    expiresWithSession: (_ctx, source) => source.clientId !== cliClientId,
    loadExistingGrant: loadGrant,
    clientBasedCORS: (_ctx, origin) => config.NMP_CORS_ORIGINS.includes(origin) || origin === new URL(publicUrl).origin,
    interactions: { policy: createPolicy(), url: (_ctx, interaction) => `${publicUrl}/sign-in/${interaction.uid}` },
    renderError: pages.renderError,
    async findAccount(ctx, userId, token) {
      const account = await findAccountById(db, userId)
      const signedInAt = readAuthTime(token) ?? ctx.oidc.session?.loginTs
      if (!account || (signedInAt !== undefined && signedInAt < account.validAfterSeconds)) return undefined
      return { accountId: userId, claims: () => ({ sub: userId, ...describePerson(account) }) }
    },
    async extraTokenClaims(ctx, token) {
      if (!('accountId' in token) || !token.accountId) return undefined
      const account = await findAccountById(db, token.accountId)
      const amr = await findAmr(ctx, token)
      const { grantId, clientId = null } = token
      const { sessionUid, expiresWithSession } = token as IssuedToken
      const from = { address: ctx.ip, userAgent: ctx.get('user-agent') }
      if (account && grantId) {
        const browserUid = expiresWithSession ? (sessionUid ?? null) : null
        await noteGrant(db, { grantId, clientId, userId: account.userId, browserUid }, from)
        if (ctx.oidc.entities.DeviceCode) tellNewDevice({ account, what: 'A command line', ...from })
      }
      return account && { ...describePerson(account), sid: token.grantId, ...(amr.length > 0 ? { amr } : {}) }
    },
    clientAuthMethods: ['none'],
    features: {
      devInteractions: { enabled: false },
      // On by default and of no use here: the API takes plain bearers, and both clients are public.
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: pages.confirmSignOut,
        postLogoutSuccessSource: pages.showSignedOut,
      },
      deviceFlow: {
        enabled: true,
        charset: 'base-20',
        mask: '****-****',
        deviceInfo: (ctx) => ({ description: describeDevice(ctx.get('user-agent')), address: ctx.ip }),
        userCodeInputSource: pages.askUserCode,
        userCodeConfirmSource: pages.confirmUserCode,
        successSource: pages.showDeviceConnected,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => apiAudience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resource !== apiAudience) throw new errors.InvalidTarget()
          return {
            scope: '',
            audience: apiAudience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: accessTokenSeconds,
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
    },
  }
}

const readAuthTime = (token: object | undefined): number | undefined =>
  token && 'authTime' in token && typeof token.authTime === 'number' ? token.authTime : undefined

interface IssuedToken {
  sessionUid?: string
  expiresWithSession?: boolean
}

/**
 * How the person has signed in: as the code or refresh token says that this one is for, and for what ends with the browser's session also what
 * they have proven in it since.
 */
async function findAmr(ctx: KoaContextWithOIDC, token: object): Promise<string[]> {
  const { AuthorizationCode: code, RefreshToken: refresh, DeviceCode: device } = ctx.oidc.entities
  const issued = (refresh ?? code ?? device)?.amr ?? []
  const { sessionUid, expiresWithSession } = token as IssuedToken
  const session = sessionUid && expiresWithSession ? await ctx.oidc.provider.Session.findByUid(sessionUid) : undefined
  return [...new Set([...issued, ...(session?.amr ?? [])])]
}

/** The operator who made the account vouches for its e-mail. */
const describePerson = ({ email, name }: { email: string; name: string }) => ({
  email,
  email_verified: true,
  ...(name ? { name } : {}),
})

const nameCookies = (https: boolean) => ({
  session: https ? '__Host-nmp_session' : 'nmp_session',
  interaction: https ? '__Secure-nmp_interaction' : 'nmp_interaction',
  resume: https ? '__Secure-nmp_resume' : 'nmp_resume',
})

/**
 * Sign-in is asked for where it is needed, also when the account is gone or its sessions were ended. Consent is asked for before every
 * code of the command line, whose name and address any program of a machine can take (RFC 8252, section 8.6), and never for the console.
 */
function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const isGone = (ctx: KoaContextWithOIDC) => ctx.oidc.session?.accountId !== undefined && !ctx.oidc.account
  policy.get('login')?.checks.add(new interactionPolicy.Check('account_gone', 'sign-in is needed again', isGone))
  const consent = policy.get('consent')?.checks
  consent?.clear()
  consent?.add(
    new interactionPolicy.Check(
      'program_not_confirmed',
      'the person must confirm this program',
      'consent_required',
      (ctx) => !isConfirmed(ctx),
    ),
  )
  return policy
}

/** A device code was confirmed with its number on the page that showed it. */
const isConfirmed = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.client?.clientId === consoleClientId || /^(code|device)_/.test(oidc.route) || oidc.result?.consent !== undefined

/** The console has one grant per browser sign-in, which all its tabs share; every command line has its own. */
async function loadGrant(ctx: KoaContextWithOIDC) {
  const { provider, client, session, account } = ctx.oidc
  if (!client || !session || !account || !isConfirmed(ctx)) return undefined
  const existingId = client.clientId === consoleClientId ? session.grantIdFor(client.clientId) : undefined
  const existing = existingId ? await provider.Grant.find(existingId) : undefined
  if (existing?.accountId === account.accountId) return existing
  const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  grant.addOIDCScope('openid offline_access email profile')
  await grant.save()
  return grant
}
