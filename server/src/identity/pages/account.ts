import { findBrowserSession, signOutBrowser } from '../browser-session.ts'
import { endAllSessions } from '../local-accounts.ts'
import type { LocalAccount } from '../repository.ts'
import { findProofs } from '../second-step/service.ts'
import { html } from './html.ts'
import { viewSignedOut } from './messages.ts'
import { consolePath } from './next-address.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'

/** Who is signed in here; without anybody the browser is sent to sign in and comes back. */
export async function requireSession(page: PageRequest) {
  const { provider } = await page.getProvider()
  const session = await findBrowserSession(page.context.db, provider, page.request, page.response)
  if (!session)
    redirect(
      page.response,
      `${page.context.publicUrl}/sign-in?next=${encodeURIComponent(page.url.pathname + page.url.search)}`,
    )
  return session
}

/** The page, or for the console as JSON whose session this is and what its person signs in with. */
export const showAccount: PageHandler = async (page) => {
  if (page.request.headers.accept === 'application/json') return sendAccountFacts(page)
  const session = await requireSession(page)
  if (session) sendPage(page.response, viewAccount({ ...session.account, formToken: page.issueToken() }))
}

/** Nobody's facts are an answer too: the console may be signed in where this browser is not. */
async function sendAccountFacts(page: PageRequest): Promise<void> {
  const { provider } = await page.getProvider()
  const session = await findBrowserSession(page.context.db, provider, page.request, page.response)
  const proofs = session && (await findProofs(page.context, session.account.userId))
  const facts = session && {
    email: session.account.email,
    has_password: session.account.passwordHash !== null,
    has_app: proofs?.hasApp ?? false,
    passkey_count: proofs?.passkeyCount ?? 0,
  }
  const body = Buffer.from(JSON.stringify({ item: facts ?? null }))
  page.response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  page.response.end(page.request.method === 'HEAD' ? undefined : body)
}

export const submitSignOut: PageHandler = async ({ context, request, response, getProvider }) => {
  const { provider } = await getProvider()
  await signOutBrowser(context.db, provider, request, response)
  redirect(response, `${context.publicUrl}/account/signed-out`)
}

export const submitSignOutEverywhere: PageHandler = async (page) => {
  const { context, request, response } = page
  const session = await requireSession(page)
  if (!session) return
  const { provider } = await page.getProvider()
  await signOutBrowser(context.db, provider, request, response)
  await endAllSessions(context.db, session.account, page.client.requestId)
  redirect(response, `${context.publicUrl}/account/signed-out`)
}

export const showSignedOut: PageHandler = async ({ response }) => sendPage(response, viewSignedOut())

const viewAccount = ({ email, name, passwordHash, formToken }: LocalAccount & { formToken: string }): Page => ({
  title: 'Account',
  body: html`<h1>${name || 'Your account'}</h1>
<p class="lead">Signed in as <span class="who">${email}</span>.</p>
<a class="button" href="${consolePath}">Open nmp</a>
<a class="button plain" href="/password/change">${passwordHash === null ? 'Set a password' : 'Change the password'}</a>
<a class="button plain" href="/account/two-step">Two-step sign-in and passkeys</a>
<a class="button plain" href="/account/sessions">Where you are signed in</a>
<form method="post" action="/account/sign-out" class="below">
<input type="hidden" name="form_token" value="${formToken}">
<button class="plain">Sign out</button>
</form>
<hr>
<p class="aside">Lost a laptop? This ends every browser and every command line of yours. Personal access tokens stay; revoke them in the settings.</p>
<form method="post" action="/account/sign-out-everywhere" class="below">
<input type="hidden" name="form_token" value="${formToken}">
<button class="danger">Sign out everywhere</button>
</form>`,
})
