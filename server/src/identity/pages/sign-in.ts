import { findBrowserSession, signInBrowser } from '../browser-session.ts'
import { cliClientId } from '../client-ids.ts'
import {
  checkPassword,
  consumeOneTimeCode,
  findOneTimeCodeUser,
  normalizeEmail,
  recordSignIn,
} from '../local-accounts.ts'
import { canHavePasskeys, offerPasskeySignIn, takePasskey } from '../passkeys/service.ts'
import { type Authenticated, byPasskey, byPassword } from '../proof.ts'
import { findAccountById } from '../repository.ts'
import { networkOf } from '../throttle.ts'
import { html } from './html.ts'
import { say, viewMessage, viewTooMany } from './messages.ts'
import { resolveNext } from './next-address.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'
import { viewPasskeyForm } from './passkey-form.ts'
import { completeSecondStep, isSecondStepDone } from './second-step.ts'

/** `/sign-in`: with a password, or by a one-time link. */
export const showSignIn: PageHandler = async (page) => {
  const { context, url, request, response } = page
  const code = url.searchParams.get('code')
  if (code !== null) return showSignInLink(page, code)
  const next = url.searchParams.get('next') ?? '/'
  const { provider } = await page.getProvider()
  const session = await findBrowserSession(context.db, provider, request, response)
  if (session && url.searchParams.get('again') === null) return redirect(response, resolveNext(next, context.publicUrl))
  await sendSignIn(page, { next, email: session?.account.email ?? '', isAgain: session !== undefined })
}

export const submitSignIn: PageHandler = async (page) => {
  const { context, form, response } = page
  const code = form.get('code')
  if (code !== null) return submitSignInLink(page, code)
  const next = form.get('next') ?? '/'
  const person = await authenticate(page, { next })
  if (!person) return
  await signInBrowser(page, person)
  redirect(response, resolveNext(next, context.publicUrl))
}

/**
 * Who the form proves: by e-mail and password, by the code that is asked for after them, or by a passkey alone, which is both at once.
 * Undefined where a page was sent instead; the form comes again on it as `shown` says.
 */
export async function authenticate(
  page: PageRequest,
  shown: Pick<SignInFields, 'next' | 'clientId'>,
): Promise<Authenticated | undefined> {
  const { context, form, client, throttles, response } = page
  const step = form.get('step')
  if (step !== null) {
    const known = await completeSecondStep(page, step)
    if (known) await recordSignIn(context.db, known.account, 'second_step', client.requestId)
    return known
  }
  const passkey = form.get('passkey')
  if (passkey !== null) return authenticateByPasskey(page, passkey, shown)
  const email = normalizeEmail(form.get('email') ?? '')
  const network = networkOf(client.address)
  // Counted before the slow check, so that guesses sent at once are all counted; a network that has too many can lock no account.
  const networkWait = await throttles.networks.count(network)
  const wait = networkWait ?? (await throttles.accounts.count(email))
  if (wait !== undefined) {
    if (networkWait === undefined) await throttles.networks.takeBack(network)
    sendPage(response, viewTooMany(wait))
    return undefined
  }
  const account = await checkPassword(context.db, email, form.get('password') ?? '')
  if (!account) {
    context.log.warn({ requestId: client.requestId, address: client.address }, 'sign-in refused')
    await sendSignIn(page, { ...shown, email, wrong: 'password' })
    return undefined
  }
  await throttles.accounts.clear(email)
  await throttles.networks.takeBack(network)
  if (!(await isSecondStepDone(page, account))) return undefined
  await recordSignIn(context.db, account, 'password', client.requestId)
  return { account, amr: byPassword }
}

async function authenticateByPasskey(
  page: PageRequest,
  given: string,
  shown: Pick<SignInFields, 'next' | 'clientId'>,
): Promise<Authenticated | undefined> {
  const { context, challenges, client, throttles, response } = page
  const network = networkOf(client.address)
  const wait = await throttles.networks.count(network)
  if (wait !== undefined) {
    sendPage(response, viewTooMany(wait))
    return undefined
  }
  const account = await takePasskey(context, challenges, given)
  if (!account) {
    await sendSignIn(page, { ...shown, email: '', wrong: 'passkey' })
    return undefined
  }
  await throttles.networks.takeBack(network)
  await recordSignIn(context.db, account, 'passkey', client.requestId)
  return { account, amr: byPasskey }
}

async function showSignInLink({ context, response, issueToken }: PageRequest, code: string): Promise<void> {
  const userId = await findOneTimeCodeUser(context.db, 'sign_in', code)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  sendPage(response, account ? viewSignInLink(account.email, code, issueToken()) : viewSpentLink())
}

async function submitSignInLink(page: PageRequest, code: string): Promise<void> {
  const { context, response } = page
  const userId = await consumeOneTimeCode(context.db, 'sign_in', code)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  if (!account) return sendPage(response, viewSpentLink())
  if (!(await isSecondStepDone(page, account))) return
  await signInBrowser(page, { account, amr: [] })
  await recordSignIn(context.db, account, 'link', page.client.requestId)
  redirect(response, resolveNext('/', context.publicUrl))
}

interface SignInFields {
  email: string
  next?: string
  wrong?: 'password' | 'passkey'
  clientId?: string
  /** Somebody is signed in, and is asked once more before they change how. */
  isAgain?: boolean
}

/** The form goes to the address that it is shown at. */
export async function sendSignIn(page: PageRequest, fields: SignInFields): Promise<void> {
  const { context, challenges } = page
  const ask = canHavePasskeys(context.publicUrl) ? await offerPasskeySignIn(context, challenges) : undefined
  sendPage(page.response, viewSignIn({ ...fields, action: page.url.pathname, formToken: page.issueToken(), ask }))
}

const describeRequest = ({ clientId, isAgain }: SignInFields): string => {
  if (isAgain) return 'Once more, before you change how you sign in.'
  return clientId === cliClientId
    ? 'A command line asks who you are. What it may do is shown before it may do it.'
    : 'Demonstrations, datasets and versions of your team.'
}

const refusals = {
  password: 'E-mail and password do not match. Check both and try again.',
  passkey: 'This passkey is not known here, or its answer came too late. Try again, or use the password.',
}

interface SignInForm extends SignInFields {
  action: string
  formToken: string
  ask: string | undefined
}

const viewSignIn = ({ action, formToken, ask, ...fields }: SignInForm): Page => ({
  title: 'Sign in',
  status: fields.wrong ? 401 : 200,
  leadsAway: true,
  asksPasskey: ask !== undefined,
  body: html`<h1>Sign in</h1>
<p class="lead">${describeRequest(fields)}</p>
${fields.wrong && say('Not signed in', refusals[fields.wrong])}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
${viewNext(fields)}
<label for="email">E-mail</label>
<input id="email" name="email" type="email" value="${fields.email}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="320" required${!fields.email && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required${fields.email && html` autofocus`}${fields.wrong === 'password' && html` aria-invalid="true"`}>
<button>Sign in</button>
</form>
${ask !== undefined && html`<p class="or" data-with-passkey hidden>or</p>${viewPasskeyForm({ kind: 'get', action, formToken, ask, label: 'Sign in with a passkey', isPlain: true, fields: viewNext(fields) })}`}
<p class="aside"><a href="/password/forgot">Forgot the password?</a></p>
<p class="aside">No password yet? The first account comes in by the link that the program prints; until a password is set, each start prints a new one. Others ask an admin for an invite.</p>`,
})

const viewNext = ({ next }: SignInFields) =>
  next === undefined ? undefined : html`<input type="hidden" name="next" value="${next}">`

const viewSignInLink = (email: string, code: string, formToken: string): Page => ({
  title: 'Sign in',
  body: html`<h1>Sign in by link</h1>
<p class="lead">This link signs this browser in as <span class="who">${email}</span>. It works once.</p>
<form method="post" action="/sign-in">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="code" value="${code}">
<button autofocus>Sign in</button>
</form>`,
})

const viewSpentLink = (): Page =>
  viewMessage({
    status: 410,
    title: 'This link is no longer valid',
    text: 'It was already used or has expired. Sign in with your password. If you have none yet, restart the program: it prints a new link.',
    link: { href: '/sign-in', label: 'Sign in' },
  })
