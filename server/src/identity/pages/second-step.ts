import { consumeOneTimeCode, createOneTimeCode, findOneTimeCodeUser } from '../local-accounts.ts'
import { canHavePasskeys, listPasskeys, offerPasskeySignIn } from '../passkeys/service.ts'
import { type Authenticated, byCode } from '../proof.ts'
import { findAccountById, type LocalAccount } from '../repository.ts'
import { findProofs, hasSecondStep, takeSecondStepCode } from '../second-step/service.ts'
import { html } from './html.ts'
import { say, viewMessage, viewTooMany } from './messages.ts'
import { type Page, sendPage } from './page.ts'
import type { PageRequest } from './page-request.ts'
import { viewPasskeyForm } from './passkey-form.ts'

const stepMinutes = 10

/** Whether the account needs no more; otherwise the page that asks for a second proof is sent, and its form comes back to the same address. */
export async function isSecondStepDone(page: PageRequest, account: LocalAccount): Promise<boolean> {
  const { context } = page
  if (!(await hasSecondStep(context, account.userId))) return true
  const step = await createOneTimeCode(context.db, account.userId, 'second_step', stepMinutes)
  await sendSecondStep(page, account, step)
  return false
}

/** The account of a sign-in that was half done, with the code that completes it. */
export async function completeSecondStep(page: PageRequest, step: string): Promise<Authenticated | undefined> {
  const { context, response } = page
  const userId = await findOneTimeCodeUser(context.db, 'second_step', step)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  if (!account) {
    sendPage(response, viewExpired())
    return undefined
  }
  const isRight = await takeCode(page, account)
  if (isRight === undefined) return undefined
  if (isRight && (await consumeOneTimeCode(context.db, 'second_step', step)) !== undefined)
    return { account, amr: byCode }
  await sendSecondStep(page, account, step, true)
  return undefined
}

/** Undefined where there were too many tries, which is said. Counted before the check, so that guesses sent at once all count. */
export async function takeCode(page: PageRequest, { userId }: LocalAccount): Promise<boolean | undefined> {
  const { context, form, throttles, response } = page
  const wait = await throttles.codes.count(userId)
  if (wait !== undefined) {
    sendPage(response, viewTooMany(wait))
    return undefined
  }
  const isRight = await takeSecondStepCode(context, userId, (form.get('digits') ?? '').slice(0, 100))
  if (isRight) await throttles.codes.clear(userId)
  return isRight
}

async function sendSecondStep(page: PageRequest, { userId }: LocalAccount, step: string, wrong = false): Promise<void> {
  const { context, challenges, form, response } = page
  const { hasApp, passkeyCount } = await findProofs(context, userId)
  const ask =
    passkeyCount > 0 && canHavePasskeys(context.publicUrl)
      ? await offerPasskeySignIn(context, challenges, await listPasskeys(context, userId))
      : undefined
  const next = form.get('next') ?? undefined
  sendPage(
    response,
    viewSecondStep({ action: page.url.pathname, formToken: page.issueToken(), step, next, hasApp, ask, wrong }),
  )
}

export const wrongCode = say(
  'Not accepted',
  'That code is not right, or was used before. Wait for the next one and try again.',
)

interface SecondStepForm {
  action: string
  formToken: string
  step: string
  next: string | undefined
  hasApp: boolean
  /** For a passkey of this account, where it has one. */
  ask: string | undefined
  wrong: boolean
}

/** Who has no app is asked for the passkey first; without a script there is the recovery code alone. */
const viewSecondStep = (shown: SecondStepForm): Page => {
  const { hasApp, ask, wrong } = shown
  const byCode = viewCodeForm(shown)
  const byPasskey = ask === undefined ? undefined : viewPasskeyStep(shown, ask)
  const or = byPasskey && html`<p class="or" data-with-passkey hidden>or</p>`
  return {
    title: 'Sign in',
    status: wrong ? 401 : 200,
    leadsAway: true,
    asksPasskey: ask !== undefined,
    body: html`<h1>One more step</h1>
<p class="lead">${hasApp ? 'Type the six digits that your app shows for nmp, or one of your recovery codes.' : 'Confirm with your passkey, or type one of your recovery codes.'}</p>
${wrong && wrongCode}
${hasApp ? html`${byCode}${or}${byPasskey}` : html`${byPasskey}${or}${byCode}`}
<p class="aside">${hasApp ? 'Without the app' : 'Without the passkey'} and without a recovery code, ask the operator of this server.</p>`,
  }
}

const viewNext = ({ next }: SecondStepForm) =>
  next === undefined ? undefined : html`<input type="hidden" name="next" value="${next}">`

const viewCodeForm = (shown: SecondStepForm) => html`<form method="post" action="${shown.action}">
<input type="hidden" name="form_token" value="${shown.formToken}">
<input type="hidden" name="step" value="${shown.step}">
${viewNext(shown)}
<label for="digits">${shown.hasApp ? 'Code' : 'Recovery code'}</label>
<input class="code" id="digits" name="digits" inputmode="text" autocomplete="one-time-code" maxlength="30" spellcheck="false" required${shown.hasApp && html` autofocus`}${shown.wrong && html` aria-invalid="true"`}>
<button${!shown.hasApp && html` class="plain"`}>${shown.hasApp ? 'Sign in' : 'Use the code'}</button>
</form>`

const viewPasskeyStep = (shown: SecondStepForm, ask: string) =>
  viewPasskeyForm({
    kind: 'get',
    action: shown.action,
    formToken: shown.formToken,
    ask,
    label: 'Use a passkey',
    isPlain: shown.hasApp,
    fields: viewNext(shown),
  })

const viewExpired = (): Page =>
  viewMessage({
    status: 410,
    title: 'This sign-in has expired',
    text: 'The code was asked for too long ago, or was given already. Sign in again.',
    link: { href: '/sign-in', label: 'Sign in' },
  })
