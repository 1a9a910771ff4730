import { findBrowserSession, signInBrowser } from '../browser-session.ts'
import { cliClientId } from '../client-ids.ts'
import {
  checkPassword,
  consumeOneTimeCode,
  findOneTimeCodeUser,
  normalizeEmail,
  recordSignIn,
} from '../local-accounts.ts'
import { findAccountById, type LocalAccount } from '../repository.ts'
import { networkOf } from '../throttle.ts'
import { html } from './html.ts'
import { say, viewMessage, viewTooMany } from './messages.ts'
import { resolveNext } from './next-address.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'
import { completeSecondStep, requireSecondStep } from './second-step.ts'

/** `/sign-in`: with a password, or by a one-time link. */
export const showSignIn: PageHandler = async (page) => {
  const { context, url, request, response } = page
  const code = url.searchParams.get('code')
  if (code !== null) return showSignInLink(page, code)
  const next = url.searchParams.get('next') ?? '/'
  const { provider } = await page.getProvider()
  if (await findBrowserSession(context.db, provider, request, response))
    return redirect(response, resolveNext(next, context.publicUrl))
  sendPage(response, viewSignIn({ action: '/sign-in', formToken: page.issueToken(), next, email: '' }))
}

export const submitSignIn: PageHandler = async (page) => {
  const { context, form, request, response } = page
  const code = form.get('code')
  if (code !== null) return submitSignInLink(page, code)
  const next = form.get('next') ?? '/'
  const account = await authenticate(page, (email, wrong) =>
    viewSignIn({ action: '/sign-in', formToken: page.issueToken(), next, email, wrong }),
  )
  if (!account) return
  const { provider } = await page.getProvider()
  await signInBrowser(context.db, provider, request, response, account.userId)
  redirect(response, resolveNext(next, context.publicUrl))
}

/** The account whose e-mail and password the form has, or the code that is asked for after them; otherwise a page is sent. */
export async function authenticate(
  page: PageRequest,
  viewAgain: (email: string, wrong: boolean) => Page,
): Promise<LocalAccount | undefined> {
  const { context, form, client, throttles, response } = page
  const step = form.get('step')
  if (step !== null) {
    const known = await completeSecondStep(page, step)
    if (known) await recordSignIn(context.db, known, 'second_step', client.requestId)
    return known
  }
  const email = normalizeEmail(form.get('email') ?? '')
  const network = networkOf(client.address)
  const wait = throttles.accounts.findWait(email) ?? throttles.networks.findWait(network)
  if (wait !== undefined) {
    sendPage(response, viewTooMany(wait))
    return undefined
  }
  // Counted before the slow check, so that guesses sent at once are all counted.
  throttles.accounts.count(email)
  throttles.networks.count(network)
  const account = await checkPassword(context.db, email, form.get('password') ?? '')
  if (!account) {
    context.log.warn({ requestId: client.requestId, address: client.address }, 'sign-in refused')
    sendPage(response, viewAgain(email, true))
    return undefined
  }
  throttles.accounts.clear(email)
  throttles.networks.takeBack(network)
  const whole = await requireSecondStep(page, account)
  if (whole) await recordSignIn(context.db, whole, 'password', client.requestId)
  return whole
}

async function showSignInLink({ context, response, issueToken }: PageRequest, code: string): Promise<void> {
  const userId = await findOneTimeCodeUser(context.db, 'sign_in', code)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  sendPage(response, account ? viewSignInLink(account.email, code, issueToken()) : viewSpentLink())
}

async function submitSignInLink(page: PageRequest, code: string): Promise<void> {
  const { context, request, response } = page
  const userId = await consumeOneTimeCode(context.db, 'sign_in', code)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  if (!account) return sendPage(response, viewSpentLink())
  if (!(await requireSecondStep(page, account))) return
  const { provider } = await page.getProvider()
  await signInBrowser(context.db, provider, request, response, account.userId)
  await recordSignIn(context.db, account, 'link', page.client.requestId)
  redirect(response, resolveNext('/', context.publicUrl))
}

interface SignInForm {
  action: string
  formToken: string
  email: string
  next?: string
  wrong?: boolean
  clientId?: string
}

export const viewSignIn = ({ action, formToken, email, next, wrong, clientId }: SignInForm): Page => ({
  title: 'Sign in',
  status: wrong ? 401 : 200,
  leadsAway: true,
  body: html`<h1>Sign in</h1>
<p class="lead">${clientId === cliClientId ? 'A command line asks who you are. What it may do is shown before it may do it.' : 'Demonstrations, datasets and versions of your team.'}</p>
${wrong && say('Not signed in', 'E-mail and password do not match. Check both and try again.')}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}
<label for="email">E-mail</label>
<input id="email" name="email" type="email" value="${email}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="320" required${!email && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required${email && html` autofocus`}${wrong && html` aria-invalid="true"`}>
<button>Sign in</button>
</form>
<p class="aside"><a href="/password/forgot">Forgot the password?</a></p>
<p class="aside">No password yet? The first account comes in by the link that the program prints; until a password is set, each start prints a new one. Others ask an admin for an invite.</p>`,
})

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
