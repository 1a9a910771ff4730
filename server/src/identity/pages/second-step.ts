import { consumeOneTimeCode, createOneTimeCode, findOneTimeCodeUser } from '../local-accounts.ts'
import { findAccountById, type LocalAccount } from '../repository.ts'
import {
  countRecoveryCodes,
  disableTotp,
  enableTotp,
  hasSecondStep,
  offerTotp,
  openOffer,
  renewRecoveryCodes,
  takeSecondStepCode,
} from '../second-step/service.ts'
import { encodeBase32, nameTotp } from '../second-step/totp.ts'
import { requireSession } from './account.ts'
import { html } from './html.ts'
import { say, viewMessage, viewTooMany } from './messages.ts'
import { type Page, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'

const stepMinutes = 10

/** The account, where it needs no more; otherwise the page that asks for a code is sent, and the form comes back to the same address. */
export async function requireSecondStep(page: PageRequest, account: LocalAccount): Promise<LocalAccount | undefined> {
  const { context, response, form } = page
  if (!(await hasSecondStep(context, account.userId))) return account
  const step = await createOneTimeCode(context.db, account.userId, 'second_step', stepMinutes)
  sendPage(response, viewSecondStep({ page, step, next: form.get('next') ?? undefined }))
  return undefined
}

/** The account of a sign-in that was half done, with the code that completes it. */
export async function completeSecondStep(page: PageRequest, step: string): Promise<LocalAccount | undefined> {
  const { context, response, form } = page
  const userId = await findOneTimeCodeUser(context.db, 'second_step', step)
  const account = userId === undefined ? undefined : await findAccountById(context.db, userId)
  if (!account) {
    sendPage(response, viewExpired())
    return undefined
  }
  const isRight = await takeCode(page, account)
  if (isRight === undefined) return undefined
  if (isRight && (await consumeOneTimeCode(context.db, 'second_step', step)) !== undefined) return account
  sendPage(response, viewSecondStep({ page, step, next: form.get('next') ?? undefined, wrong: true }))
  return undefined
}

/** Undefined where there were too many tries, which is said. Counted before the check, so that guesses sent at once all count. */
async function takeCode(page: PageRequest, { userId }: LocalAccount): Promise<boolean | undefined> {
  const { context, form, throttles, response } = page
  const wait = throttles.codes.findWait(userId)
  if (wait !== undefined) {
    sendPage(response, viewTooMany(wait))
    return undefined
  }
  throttles.codes.count(userId)
  const isRight = await takeSecondStepCode(context, userId, (form.get('digits') ?? '').slice(0, 100))
  if (isRight) throttles.codes.clear(userId)
  return isRight
}

/** `/account/two-step`: an app's codes beside the password. */
export const showTwoStep: PageHandler = async (page) => {
  const session = await requireSession(page)
  if (session) await sendTwoStep(page, session.account)
}

export const submitTwoStep: PageHandler = async (page) => {
  const { context, form, response, client } = page
  const session = await requireSession(page)
  if (!session) return
  const { account } = session
  const { requestId } = client
  const offer = form.get('offer')
  if (offer !== null) {
    const secret = await openOffer(context, account.userId, offer)
    const code = form.get('digits') ?? ''
    const codes = secret && (await enableTotp(context, account, { secret, code, requestId }))
    if (!codes) return sendTwoStep(page, account, secret && { secret, offer })
    tellOwner(page, account.email, 'was turned on')
    return sendPage(response, viewRecoveryCodes(codes))
  }
  const isRight = await takeCode(page, account)
  if (isRight === undefined) return
  if (!isRight) return sendTwoStep(page, account, undefined, true)
  if (form.get('renew') === 'yes')
    return sendPage(response, viewRecoveryCodes(await renewRecoveryCodes(context, account, requestId)))
  await disableTotp(context, account, requestId)
  tellOwner(page, account.email, 'was turned off')
  sendPage(
    response,
    viewMessage({
      title: 'Two-step sign-in is off',
      text: 'The password alone signs you in from now on.',
      link: { href: '/account', label: 'Your account' },
    }),
  )
}

async function sendTwoStep(
  page: PageRequest,
  account: LocalAccount,
  tried?: { secret: Buffer; offer: string },
  wrong = tried !== undefined,
): Promise<void> {
  const { context, response } = page
  if (await hasSecondStep(context, account.userId)) {
    const left = await countRecoveryCodes(context, account.userId)
    return sendPage(response, viewEnabled({ formToken: page.issueToken(), left, wrong }))
  }
  const { secret, offer } = tried ?? (await offerTotp(context, account.userId))
  const address = nameTotp(secret, account.email, new URL(context.publicUrl).host)
  sendPage(response, viewOffer({ formToken: page.issueToken(), offer, key: encodeBase32(secret), address, wrong }))
}

/** The owner hears of it, in case it was someone else. */
const tellOwner = ({ context, runAside }: PageRequest, email: string, what: string): void =>
  runAside(() =>
    context.sendMail({
      to: email,
      subject: `Two-step sign-in ${what}`,
      text: [
        `Two-step sign-in of ${email} at ${context.publicUrl} ${what} just now.`,
        `If it was not you, choose a new password immediately: ${context.publicUrl}/password/forgot`,
      ].join('\n\n'),
    }),
  )

const wrongCode = say(
  'Not accepted',
  'That code is not right, or was used before. Wait for the next one and try again.',
)

interface SecondStepForm {
  page: PageRequest
  step: string
  next: string | undefined
  wrong?: boolean
}

const viewSecondStep = ({ page, step, next, wrong }: SecondStepForm): Page => ({
  title: 'Sign in',
  status: wrong ? 401 : 200,
  leadsAway: true,
  body: html`<h1>One more step</h1>
<p class="lead">Type the six digits that your app shows for nmp, or one of your recovery codes.</p>
${wrong && wrongCode}
<form method="post" action="${page.url.pathname}">
<input type="hidden" name="form_token" value="${page.issueToken()}">
<input type="hidden" name="step" value="${step}">
${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}
<label for="digits">Code</label>
<input class="code" id="digits" name="digits" inputmode="text" autocomplete="one-time-code" maxlength="30" spellcheck="false" required autofocus${wrong && html` aria-invalid="true"`}>
<button>Sign in</button>
</form>
<p class="aside">Without the app and without a recovery code, ask the operator of this server.</p>`,
})

const viewExpired = (): Page =>
  viewMessage({
    status: 410,
    title: 'This sign-in has expired',
    text: 'The code was asked for too long ago, or was given already. Sign in again.',
    link: { href: '/sign-in', label: 'Sign in' },
  })

interface OfferForm {
  formToken: string
  offer: string
  key: string
  address: string
  wrong: boolean
}

const viewOffer = ({ formToken, offer, key, address, wrong }: OfferForm): Page => ({
  title: 'Two-step sign-in',
  status: wrong ? 422 : 200,
  body: html`<h1>Two-step sign-in</h1>
<p class="lead">An app of codes beside your password: whoever learns the password alone gets no further.</p>
${wrong && wrongCode}
<p>1. Add an account to the app with this key, or <a href="${address}">open the app on this device</a>.</p>
<p class="big" aria-label="Key">${(key.match(/.{1,4}/g) ?? []).join(' ')}</p>
<p>2. Type the six digits that it shows.</p>
<form method="post" action="/account/two-step">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="offer" value="${offer}">
<label for="digits">Code</label>
<input class="code" id="digits" name="digits" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required autofocus>
<button>Turn it on</button>
</form>`,
})

const viewRecoveryCodes = (codes: readonly string[]): Page => ({
  title: 'Recovery codes',
  body: html`<h1>Keep these codes</h1>
<p class="lead">Each signs you in once when the app is lost. They are shown now and never again; those of before no longer work.</p>
<ul class="mono">
${codes.map((code) => html`<li>${code}</li>`)}
</ul>
<a class="button below" href="/account">I have kept them</a>`,
})

const viewEnabled = ({ formToken, left, wrong }: { formToken: string; left: number; wrong: boolean }): Page => ({
  title: 'Two-step sign-in',
  status: wrong ? 401 : 200,
  body: html`<h1>Two-step sign-in is on</h1>
<p class="lead">${left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`} To change something, type a code.</p>
${wrong && wrongCode}
<form method="post" action="/account/two-step">
<input type="hidden" name="form_token" value="${formToken}">
<label for="digits">Code</label>
<input class="code" id="digits" name="digits" inputmode="text" autocomplete="one-time-code" maxlength="30" required autofocus>
<button name="renew" value="yes">Make new recovery codes</button>
<button class="danger" name="off" value="yes">Turn it off</button>
</form>`,
})
