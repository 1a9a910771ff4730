import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/database.ts'
import { acceptInvite, findOpenInvite } from '../../organizations/invites/service.ts'
import { findBrowserSession, signInBrowser } from '../browser-session.ts'
import { callerOf, createLocalAccount, recordSignIn } from '../local-accounts.ts'
import { describePasswordProblem } from '../passwords.ts'
import { findAccountByEmail, findAccountById, type LocalAccount } from '../repository.ts'
import { createUser } from '../users/service.ts'
import { html } from './html.ts'
import { say, viewMessage } from './messages.ts'
import { resolveNext } from './next-address.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'

type Invite = NonNullable<Awaited<ReturnType<typeof findOpenInvite>>>

/** `/invite?token=…`: who has an account accepts as that person; who has none makes it here, for the invited e-mail only. */
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
  const form = { invite, token, formToken: page.issueToken() }
  sendPage(page.response, account ? viewJoin(form) : viewNewAccount(form))
}

export const submitInvite: PageHandler = async (page) => {
  const { context, form, response } = page
  const token = form.get('token') ?? ''
  const invite = await findOpenInvite(context.db, token)
  if (!invite) return sendPage(response, viewSpentInvite())
  const account = (await findSignedIn(page)) ?? (await makeAccount(page, invite, token))
  if (!account) return
  if (account.email !== invite.email) return sendPage(response, viewOtherPerson(invite, account.email))
  await acceptInvite(context.db, callerOf(account, page.client.requestId), token)
  redirect(response, resolveNext('/', context.publicUrl))
}

async function findSignedIn(page: PageRequest): Promise<LocalAccount | undefined> {
  const { provider } = await page.getProvider()
  return (await findBrowserSession(page.context.db, provider, page.request, page.response))?.account
}

/** The link proves the e-mail, so the account is made at once and signed in; with a bad password the page says so instead. */
async function makeAccount(page: PageRequest, invite: Invite, token: string): Promise<LocalAccount | undefined> {
  const { context, form, request, response } = page
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
  const { provider } = await page.getProvider()
  await signInBrowser(context.db, provider, request, response, account.userId)
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
  invite: Invite
  token: string
  formToken: string
  problem?: string
}

const describeInvite = (invite: Invite) =>
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

const viewOtherPerson = (invite: Invite, email: string): Page =>
  viewMessage({
    status: 409,
    title: 'This invite is for someone else',
    text: `It was sent to ${invite.email}, and you are signed in as ${email}. Sign out, then open the link again.`,
    link: { href: '/account', label: 'Your account' },
  })

const viewSpentInvite = (): Page =>
  viewMessage({
    status: 410,
    title: 'This invite is no longer valid',
    text: 'It was used, revoked or has expired. Ask the person who invited you for a new one.',
    link: { href: '/', label: 'Open nmp' },
  })
