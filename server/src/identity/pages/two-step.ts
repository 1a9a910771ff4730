import { type BrowserSession, upgradeBrowserSession } from '../browser-session.ts'
import {
  addPasskey,
  canHavePasskeys,
  listPasskeys,
  offerPasskeyAddition,
  type Passkey,
  removePasskey,
} from '../passkeys/service.ts'
import { byPasskey } from '../proof.ts'
import { countRecoveryCodes, findProofs, renewRecoveryCodes } from '../second-step/service.ts'
import { describeUserAgent } from '../user-agent.ts'
import { requireSession } from './account.ts'
import { type Html, html } from './html.ts'
import { say } from './messages.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'
import { viewPasskeyForm } from './passkey-form.ts'
import { isFresh, requireFreshSession, signInAgainPath, tellOwner, viewRecoveryCodes } from './proofs.ts'

/** `/account/two-step`: what a person proves themselves by beside the password. */
export const showTwoStep: PageHandler = async (page) => {
  const session = await requireSession(page)
  if (session) await sendTwoStep(page, session)
}

export const submitTwoStep: PageHandler = async (page) => {
  const { context, form, response, client } = page
  const session = await requireFreshSession(page)
  if (!session) return
  const { account } = session
  const { requestId } = client
  const given = form.get('passkey')
  if (given !== null) return submitPasskey(page, session, given)
  const remove = form.get('remove')
  if (remove !== null) {
    const name = await removePasskey(context, account, { id: remove, requestId })
    if (name !== undefined) tellOwner(page, account.email, `The passkey "${name}" was removed`)
  } else if (form.get('renew') === 'yes' && (await findProofs(context, account.userId)).passkeyCount > 0)
    return sendPage(response, viewRecoveryCodes(await renewRecoveryCodes(context, account, requestId)))
  redirect(response, `${context.publicUrl}/account/two-step`)
}

async function submitPasskey(page: PageRequest, session: BrowserSession, given: string): Promise<void> {
  const { context, challenges, form, response, client } = page
  const { account } = session
  const name = form.get('name') ?? ''
  const codes = await addPasskey(context, challenges, account, { given, name, requestId: client.requestId })
  if (!codes) return sendTwoStep(page, session, true)
  await upgradeBrowserSession(page, byPasskey)
  tellOwner(page, account.email, 'A passkey was added to your sign-in')
  if (codes.length > 0) return sendPage(response, viewRecoveryCodes(codes))
  redirect(response, `${context.publicUrl}/account/two-step`)
}

async function sendTwoStep(page: PageRequest, session: BrowserSession, wrong = false): Promise<void> {
  const { context, challenges, request, response } = page
  const { account } = session
  const { hasApp } = await findProofs(context, account.userId)
  const canAdd = canHavePasskeys(context.publicUrl)
  const ask = canAdd && isFresh(session) ? await offerPasskeyAddition(context, challenges, account) : undefined
  sendPage(
    response,
    viewTwoStep({
      formToken: page.issueToken(),
      passkeys: await listPasskeys(context, account.userId),
      hasApp,
      codesLeft: await countRecoveryCodes(context, account.userId),
      ask,
      canAdd,
      isFresh: isFresh(session),
      suggestedName: describeUserAgent(request.headers['user-agent'] ?? ''),
      wrong,
    }),
  )
}

interface TwoStepPage {
  formToken: string
  passkeys: readonly Passkey[]
  hasApp: boolean
  codesLeft: number
  ask: string | undefined
  canAdd: boolean
  isFresh: boolean
  suggestedName: string
  wrong: boolean
}

const viewTwoStep = (shown: TwoStepPage): Page => {
  const { passkeys, hasApp, codesLeft, ask, wrong } = shown
  const isOn = hasApp || passkeys.length > 0
  return {
    title: 'Two-step sign-in',
    status: wrong ? 422 : 200,
    asksPasskey: ask !== undefined,
    body: html`<h1>Two-step sign-in</h1>
<p class="lead">${isOn ? 'On: your password alone no longer signs you in.' : 'Off. Add a passkey or an app of codes, and whoever learns your password gets no further.'}</p>
${wrong && say('Not added', 'The passkey could not be checked. Try again.')}
${!shown.isFresh && html`<p class="aside">To change something, <a href="${signInAgainPath('/account/two-step')}">sign in again</a>: it was a while ago.</p>`}
<h2>Passkeys</h2>
<p class="note">A fingerprint, a face or a PIN of your device instead of password and code.</p>
${passkeys.length > 0 && html`<ul class="rows">${passkeys.map((passkey) => viewPasskey(passkey, shown))}</ul>`}
${viewAddition(shown)}
<h2>App of codes</h2>
<div class="row"><div><strong>${hasApp ? 'On' : 'Off'}</strong><span>Six digits that change every half minute.</span></div>
<a class="button plain small" href="/account/two-step/app">${hasApp ? 'Change' : 'Set up'}</a></div>
${isOn && viewRecovery(shown.formToken, codesLeft, shown.isFresh && passkeys.length > 0)}
<a class="button plain below" href="/account">Your account</a>`,
  }
}

const viewRecovery = (formToken: string, codesLeft: number, canRenew: boolean): Html =>
  html`<h2>Recovery codes</h2>
<div class="row"><div><strong>${codesLeft === 1 ? 'One recovery code is left' : `${codesLeft} recovery codes are left`}</strong><span>Each signs you in once without the passkey or the app.</span></div>
${
  canRenew &&
  html`<form method="post" action="/account/two-step"><input type="hidden" name="form_token" value="${formToken}">
<button class="plain small" name="renew" value="yes">Renew</button></form>`
}</div>`

const viewPasskey = (
  { id, name, createdAt, lastUsedAt }: Passkey,
  { formToken, isFresh: canRemove }: TwoStepPage,
): Html =>
  html`<li class="row"><div><strong>${name}</strong><span>Added ${day(createdAt)}${lastUsedAt === null ? ', not used yet' : `, used ${day(lastUsedAt)}`}</span></div>
${
  canRemove &&
  html`<form method="post" action="/account/two-step"><input type="hidden" name="form_token" value="${formToken}">
<button class="plain small" name="remove" value="${id}" aria-label="Remove the passkey ${name}">Remove</button></form>`
}</li>`

function viewAddition({ formToken, ask, canAdd, suggestedName }: TwoStepPage): Html | undefined {
  if (!canAdd)
    return html`<p class="note">Browsers give passkeys to names only: open this server by https, or as http://localhost, and let its operator set NMP_PUBLIC_URL to that address.</p>`
  if (ask === undefined) return undefined
  const fields = html`<label for="name">Name of the new passkey</label>
<input id="name" name="name" value="${suggestedName}" maxlength="100" autocomplete="off" required>`
  return html`${viewPasskeyForm({ kind: 'create', action: '/account/two-step', formToken, ask, label: 'Add a passkey', fields })}
<noscript><p class="note">Passkeys need a script, which this browser does not run.</p></noscript>`
}

const day = (at: Date): string => at.toISOString().slice(0, 10)
