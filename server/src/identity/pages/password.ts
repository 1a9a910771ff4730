import { inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { countCausedMail } from '../../notifications/mail-limits.ts'
import {
  changePassword,
  checkPassword,
  createOneTimeCode,
  findOneTimeCodeUser,
  normalizeEmail,
  resetPassword,
} from '../local-accounts.ts'
import { describePasswordProblem } from '../passwords.ts'
import { findAccountByEmail, findAccountById } from '../repository.ts'
import { networkOf } from '../throttle.ts'
import { requireSession } from './account.ts'
import { viewMessage, viewTooMany } from './messages.ts'
import { consolePath } from './next-address.ts'
import { sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'
import { viewChange, viewForgot, viewReset, viewSpentReset } from './password-views.ts'

const resetMinutes = 30

export const showForgot: PageHandler = async ({ response, issueToken }) =>
  sendPage(response, viewForgot({ formToken: issueToken() }))

/** One answer for every e-mail; whether a mail goes out is found out after it. */
export const submitForgot: PageHandler = async (page) => {
  const { form, client, throttles, response, runAside } = page
  const email = normalizeEmail(form.get('email') ?? '')
  const wait = await throttles.mailNetworks.count(networkOf(client.address))
  if (wait !== undefined) return sendPage(response, viewTooMany(wait))
  if ((await throttles.mails.count(email)) === undefined) runAside(() => sendResetMail(page, email))
  sendPage(
    response,
    viewMessage({
      title: 'Check your mail',
      text: `If ${email} has an account here, a link to choose a new password is on its way. It works once, for ${resetMinutes} minutes.`,
      link: { href: '/sign-in', label: 'Back to sign in' },
    }),
  )
}

async function sendResetMail({ context }: PageRequest, email: string): Promise<void> {
  const account = await findAccountByEmail(context.db, email)
  if (!account) return
  // Nobody waits for an answer: past the limit there is no mail.
  const isTooMany = await inTransaction(context.db, (trx) =>
    countCausedMail(trx, context.config, { senderId: null, orgId: null, to: account.email }),
  ).then(
    () => false,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'too_many_requests') return true
      throw error
    },
  )
  if (isTooMany) return
  const code = await createOneTimeCode(context.db, account.userId, 'password_reset', resetMinutes)
  await context.sendMail({
    to: account.email,
    subject: 'Choose a new password for nmp',
    text: [
      `Someone, most likely you, asked for a new password for ${account.email} at ${context.publicUrl}.`,
      `Choose it here within ${resetMinutes} minutes:`,
      `${context.publicUrl}/password/reset?code=${code}`,
      'The link works once. If it was not you, do nothing: your password stays the same.',
    ].join('\n\n'),
  })
}

export const showReset: PageHandler = async ({ context, url, response, issueToken }) => {
  const code = url.searchParams.get('code') ?? ''
  const userId = await findOneTimeCodeUser(context.db, 'password_reset', code)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  sendPage(response, account ? viewReset({ formToken: issueToken(), code, email: account.email }) : viewSpentReset())
}

export const submitReset: PageHandler = async (page) => {
  const { context, form, response, throttles } = page
  const code = form.get('code') ?? ''
  const password = form.get('password') ?? ''
  const problem = describePasswordProblem(password)
  if (problem) {
    const userId = await findOneTimeCodeUser(context.db, 'password_reset', code)
    const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
    const again = account && viewReset({ formToken: page.issueToken(), code, email: account.email, problem })
    return sendPage(response, again ?? viewSpentReset())
  }
  const account = await resetPassword(context.db, { code, password, requestId: page.client.requestId })
  if (!account) return sendPage(response, viewSpentReset())
  await throttles.accounts.clear(account.email)
  tellOwner(page, account.email)
  sendPage(
    response,
    viewMessage({
      title: 'Password changed',
      text: 'All sessions of the account were ended. Sign in with the new password.',
      link: { href: '/sign-in', label: 'Sign in' },
    }),
  )
}

export const showChange: PageHandler = async (page) => {
  const session = await requireSession(page)
  if (!session) return
  const { email, passwordHash } = session.account
  sendPage(page.response, viewChange({ formToken: page.issueToken(), email, hasPassword: passwordHash !== null }))
}

export const submitChange: PageHandler = async (page) => {
  const { context, form, response, throttles } = page
  const session = await requireSession(page)
  if (!session) return
  const { account, uid } = session
  const { email } = account
  const hasPassword = account.passwordHash !== null
  const again = (problem: string, field: 'old' | 'new', status: number) =>
    sendPage(response, viewChange({ formToken: page.issueToken(), email, hasPassword, problem, field, status }))

  const password = form.get('new_password') ?? ''
  const problem = describePasswordProblem(password)
  if (problem) return again(problem, 'new', 422)
  // Who came in by a link and never had a password has none to give.
  if (hasPassword) {
    const wait = await throttles.accounts.count(email)
    if (wait !== undefined) return sendPage(response, viewTooMany(wait))
    if (!(await checkPassword(context.db, email, form.get('old_password') ?? '')))
      return again('This is not your current password.', 'old', 401)
    await throttles.accounts.clear(email)
  }
  await changePassword(context.db, { account, password, keepUid: uid, requestId: page.client.requestId })
  tellOwner(page, email)
  sendPage(
    response,
    viewMessage({
      title: hasPassword ? 'Password changed' : 'Password set',
      text: 'All your other sessions were ended: other browsers and command lines have to sign in again.',
      link: { href: consolePath, label: 'Open nmp' },
    }),
  )
}

/** The owner hears of it, in case it was someone else. */
const tellOwner = ({ context, runAside }: PageRequest, email: string): void =>
  runAside(() =>
    context.sendMail({
      to: email,
      subject: 'Your nmp password was changed',
      text: [
        `The password of ${email} at ${context.publicUrl} was changed just now.`,
        `If it was not you, choose a new one immediately: ${context.publicUrl}/password/forgot`,
      ].join('\n\n'),
    }),
  )
