import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Database } from '../db/database.ts'
import { noteDevice } from './devices/service.ts'
import type { PageRequest } from './pages/page-request.ts'
import type { Authenticated } from './proof.ts'
import { endGrant } from './provider/adapter.ts'
import { findAccountById, type LocalAccount } from './repository.ts'
import { noteBrowser } from './session-list/service.ts'

export interface BrowserSession {
  uid: string
  account: LocalAccount
  signedInAt: Date
}

const lifeSeconds = 30 * 24 * 3600

/** Who this browser is signed in as, by the provider's cookie. */
export async function findBrowserSession(
  db: Database,
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<BrowserSession | undefined> {
  const session = await provider.Session.get(provider.createContext(request, response))
  const account = session.accountId ? await findAccountById(db, session.accountId) : undefined
  if (!account || (session.loginTs ?? 0) < account.validAfterSeconds) return undefined
  return { uid: session.uid, account, signedInAt: new Date((session.loginTs ?? 0) * 1000) }
}

/** Signs the browser in, under a new id; whoever was signed in before is signed out. */
export async function signInBrowser(exchange: PageRequest, { account, amr }: Authenticated): Promise<void> {
  const { provider } = await exchange.getProvider()
  const context = provider.createContext(exchange.request, exchange.response)
  let session = await provider.Session.get(context)
  if (session.accountId && session.accountId !== account.userId) {
    await endSession(exchange.context.db, session)
    session = new provider.Session()
  } else if (session.exp !== undefined) session.resetIdentifier()
  session.loginAccount({
    accountId: account.userId,
    loginTs: Math.floor(Date.now() / 1000),
    amr: [...new Set([...amr, ...(session.accountId ? (session.amr ?? []) : [])])],
  })
  await session.save(lifeSeconds)
  context.cookies.set(provider.cookieName('session'), session.jti, cookieOptions(provider))
  await noteBrowser(exchange.context.db, account.userId, session.uid, {
    address: exchange.client.address,
    userAgent: exchange.request.headers['user-agent'] ?? '',
  })
  await noteDevice(exchange, account)
}

/** The person of this browser's session has given a further proof. */
export async function upgradeBrowserSession(exchange: PageRequest, amr: readonly string[]): Promise<void> {
  const { provider } = await exchange.getProvider()
  const session = await provider.Session.get(provider.createContext(exchange.request, exchange.response))
  session.amr = [...new Set([...(session.amr ?? []), ...amr])]
  await session.persist()
}

/** The browser's session is over, and with it the grants that were to end with it. */
export async function signOutBrowser(
  db: Database,
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const context = provider.createContext(request, response)
  await endSession(db, await provider.Session.get(context))
  context.cookies.set(provider.cookieName('session'), null, { ...cookieOptions(provider), maxAge: 0 })
}

type Session = InstanceType<Provider['Session']>

async function endSession(db: Database, session: Session): Promise<void> {
  for (const { grantId, persistsLogout } of Object.values(session.authorizations ?? {}))
    if (grantId && !persistsLogout) await endGrant(db, grantId)
  if (session.exp !== undefined) await session.destroy()
}

const cookieOptions = (provider: Provider) => ({
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: provider.issuer.startsWith('https:'),
  signed: true,
  overwrite: true,
  path: '/',
  maxAge: lifeSeconds * 1000,
})
