import { isEmailProven } from '../../access/proven-email.ts'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/database.ts'
import { acceptInvite, type FoundInvite, findOpenInvite } from '../../organizations/invites/service.ts'
import { findBrowserSession, signInBrowser } from '../browser-session.ts'
import { callerOf, createLocalAccount, recordSignIn } from '../local-accounts.ts'
import { describePasswordProblem } from '../passwords.ts'
import { byPassword } from '../proof.ts'
import { findAccountByEmail, findAccountById, type LocalAccount } from '../repository.ts'
import { createUser } from '../users/service.ts'
import { html } from './html.ts'
import { say, viewMessage } from './messages.ts'
import { resolveNext } from './next-address.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'

/**
 * `/invite?token=…`: who has an account accepts as that person; who has none makes it here, for the invited e-mail only, by the link
 * from that mailbox.
 */
export const showInvite: PageHandler = async (page) => {
  const token = page.url.searchParams.get('token') ?? ''
  const invite = await findOpenInvite(page.context.db, token)
  if (!invite) return sendPage(page.response, viewSpentInvite())
  const account = await findSignedIn(page)
  if (account && account.email !== invite.email) return sendPage(page.response, viewOtherPerson(invite, account.email))
  if (!account && (await findAccountByEmail(page.context.db, invite.email)))
    return redirect(
      page.response,
      `${page.context.publicUrl}/sign-in?next=${encodeURIComponent(`/invite?token=${token}`)}`,
    )
  if (!account && !invite.isFromMail) return sendPage(page.response, viewNotTheMail(invite))
  const form = { invite, token, formToken: page.issueToken() }
  sendPage(page.response, account ? viewJoin(form) : viewNewAccount(form))
}

export const submitInvite: PageHandler = async (page) => {
  const { context, form, response } = page
  const token = form.get('token') ?? ''
  const invite = await findOpenInvite(context.db, token)
  if (!invite) return sendPage(response, viewSpentInvite())
  const signedIn = await findSignedIn(page)
  if (!signedIn && !invite.isFromMail) return sendPage(response, viewNotTheMail(invite))
  const account = signedIn ?? (await makeAccount(page, invite, token))
  if (!account) return
  if (account.email !== invite.email) return sendPage(response, viewOtherPerson(invite, account.email))
  if (!invite.isFromMail && !(await isEmailProven(context.db, account.userId)))
    return sendPage(response, viewUnproven(invite))
  await acceptInvite(context.db, callerOf(account, page.client.requestId), token)
  redirect(response, resolveNext('/', context.publicUrl))
}

async function findSignedIn(page: PageRequest): Promise<LocalAccount | undefined> {
  const { provider } = await page.getProvider()
  return (await findBrowserSession(page.context.db, provider, page.request, page.response))?.account
}

/** The link comes from the mailbox, so the account is made at once and signed in; with a bad password the page says so instead. */
async function makeAccount(page: PageRequest, invite: FoundInvite, token: string): Promise<LocalAccount | undefined> {
  const { context, form, response } = page
  const password = form.get('password') ?? ''
  const problem = describePasswordProblem(password)
  if (problem) {
    sendPage(response, viewNewAccount({ invite, token, formToken: page.issueToken(), problem }))
    return undefined
  }
  const account = await createInvited(context, invite.email, (form.get('name') ?? '').slice(0, 200), password)
  if (!account) {
    sendPage(response, viewSpentInvite())
    return undefined
  }
  await signInBrowser(page, { account, amr: byPassword })
  await recordSignIn(context.db, account, 'link', page.client.requestId)
  return account
}

const createInvited = ({ db }: Context, email: string, displayName: string, password: string) =>
  inTransaction(db, async (trx) => {
    if (await findAccountByEmail(trx, email)) return undefined
    const user = await createUser(trx, 'program', { email, displayName })
    await createLocalAccount(trx, user.id, password)
    return findAccountById(trx, user.id)
  })

interface InviteForm {
  invite: FoundInvite
  token: string
  formToken: string
  problem?: string
}

const describeInvite = (invite: FoundInvite) =>
  invite.projectSlug
    ? html`the project <span class="who">${invite.projectSlug}</span> of <span class="who">${invite.orgSlug}</span>`
    : html`<span class="who">${invite.orgSlug}</span>`

const viewJoin = ({ invite, token, formToken }: InviteForm): Page => ({
  title: `Join ${invite.orgSlug}`,
  body: html`<h1>Join ${invite.orgSlug}</h1>
<p class="lead">You, <span class="who">${invite.email}</span>, are invited to ${describeInvite(invite)}.</p>
<form method="post" action="/invite">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${token}">
<button autofocus>Join</button>
</form>`,
})

const viewNewAccount = ({ invite, token, formToken, problem }: InviteForm): Page => ({
  title: `Join ${invite.orgSlug}`,
  status: problem ? 422 : 200,
  body: html`<h1>Join ${invite.orgSlug}</h1>
<p class="lead">You are invited to ${describeInvite(invite)}. Make your account for <span class="who">${invite.email}</span>.</p>
${problem && say('Not made', problem)}
<form method="post" action="/invite">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${token}">
<input class="away" type="email" name="username" value="${invite.email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
<label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="200"${!problem && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1000" aria-describedby="hint" required${problem && html` autofocus aria-invalid="true"`}>
<p class="hint" id="hint">8 to 200 characters. A few words make a good one.</p>
<button>Make the account and join</button>
</form>`,
})

const viewOtherPerson = (invite: FoundInvite, email: string): Page =>
  viewMessage({
    status: 409,
    title: 'This invite is for someone else',
    text: `It was sent to ${invite.email}, and you are signed in as ${email}. Sign out, then open the link again.`,
    link: { href: '/account', label: 'Your account' },
  })

const viewNotTheMail = (invite: FoundInvite): Page =>
  viewMessage({
    status: 403,
    title: 'This link needs an account',
    text: `There is no account of ${invite.email} yet. Open the link in the mail to that address: it makes the account and joins. If no mail came, or this is the link in it, ask for a new invite; the person who runs this nmp can print its link.`,
    link: { href: '/', label: 'Open nmp' },
  })

const viewUnproven = (invite: FoundInvite): Page =>
  viewMessage({
    status: 403,
    title: 'Show that this e-mail is yours',
    text: `Open the link in the mail to ${invite.email} instead, or choose a new password by mail; then open this link again.`,
    link: { href: '/password', label: 'Choose a password by mail' },
  })

const viewSpentInvite = (): Page =>
  viewMessage({
    status: 410,
    title: 'This invite is no longer valid',
    text: 'It was used, revoked or has expired. Ask the person who invited you for a new one.',
    link: { href: '/', label: 'Open nmp' },
  })
