import { encode } from 'uqr'
import { upgradeBrowserSession } from '../browser-session.ts'
import { byCode } from '../proof.ts'
import type { LocalAccount } from '../repository.ts'
import {
  countRecoveryCodes,
  disableTotp,
  enableTotp,
  findProofs,
  offerTotp,
  openOffer,
  renewRecoveryCodes,
} from '../second-step/service.ts'
import { encodeBase32, nameTotp } from '../second-step/totp.ts'
import { requireSession } from './account.ts'
import { type Html, html } from './html.ts'
import { viewMessage } from './messages.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'
import { requireFreshSession, tellOwner, viewRecoveryCodes } from './proofs.ts'
import { takeCode, wrongCode } from './second-step.ts'

/** `/account/two-step/app`: an app's codes beside the password. */
export const showApp: PageHandler = async (page) => {
  const session = await requireSession(page)
  if (session) await sendApp(page, session.account)
}

export const submitApp: PageHandler = async (page) => {
  const { context, form, response, client } = page
  const offer = form.get('offer')
  if (offer !== null) return submitOffer(page, offer)
  const session = await requireSession(page)
  if (!session) return
  const { account } = session
  const { requestId } = client
  const isRight = await takeCode(page, account)
  if (isRight === undefined) return
  if (!isRight) return sendApp(page, account, undefined, true)
  if (form.get('renew') === 'yes')
    return sendPage(response, viewRecoveryCodes(await renewRecoveryCodes(context, account, requestId)))
  await disableTotp(context, account, requestId)
  tellOwner(page, account.email, 'The app of codes was removed from your sign-in')
  const { passkeyCount } = await findProofs(context, account.userId)
  sendPage(
    response,
    viewMessage({
      title: passkeyCount > 0 ? 'The app is removed' : 'Two-step sign-in is off',
      text:
        passkeyCount > 0 ? 'Your passkeys are asked for as before.' : 'The password alone signs you in from now on.',
      link: { href: '/account/two-step', label: 'Two-step sign-in' },
    }),
  )
}

/** The first code of a new app. */
async function submitOffer(page: PageRequest, offer: string): Promise<void> {
  const { context, form, response, client } = page
  const session = await requireFreshSession(page)
  if (!session) return
  const { account } = session
  const secret = await openOffer(context, account.userId, offer)
  const code = form.get('digits') ?? ''
  const codes = secret && (await enableTotp(context, account, { secret, code, requestId: client.requestId }))
  if (!codes) return sendApp(page, account, secret && { secret, offer })
  await upgradeBrowserSession(page, byCode)
  tellOwner(page, account.email, 'An app of codes was added to your sign-in')
  if (codes.length > 0) return sendPage(response, viewRecoveryCodes(codes))
  redirect(response, `${context.publicUrl}/account/two-step`)
}

async function sendApp(
  page: PageRequest,
  account: LocalAccount,
  tried?: { secret: Buffer; offer: string },
  wrong = tried !== undefined,
): Promise<void> {
  const { context, response } = page
  const { hasApp } = await findProofs(context, account.userId)
  if (hasApp) {
    const left = await countRecoveryCodes(context, account.userId)
    return sendPage(response, viewEnabled({ formToken: page.issueToken(), left, wrong }))
  }
  if (!(await requireFreshSession(page))) return
  const { secret, offer } = tried ?? (await offerTotp(context, account.userId))
  const address = nameTotp(secret, account.email, new URL(context.publicUrl).host)
  sendPage(response, viewOffer({ formToken: page.issueToken(), offer, key: encodeBase32(secret), address, wrong }))
}

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
  body: html`<h1>An app of codes</h1>
<p class="lead">Its six digits beside your password: whoever learns the password alone gets no further.</p>
${wrong && wrongCode}
<ol class="steps">
<li>Add an account to the app: let it read this picture, <a href="${address}">open it on this device</a>, or type the key.
${drawQrCode(address)}<p class="big key-text" aria-label="Key">${(key.match(/.{1,4}/g) ?? []).join(' ')}</p></li>
<li>Type the six digits that it shows.</li>
</ol>
<form method="post" action="/account/two-step/app">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="offer" value="${offer}">
<label for="digits">Code</label>
<input class="code" id="digits" name="digits" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required autofocus>
<button>Turn it on</button>
</form>
<a class="button plain below" href="/account/two-step">Not now</a>`,
})

/** What a code of the size that phones read at arm's length holds. */
const mostQrCharacters = 600

/** Light around it, as readers need; an address that is too long for one has its key alone. */
function drawQrCode(text: string): Html | undefined {
  if (text.length > mostQrCharacters) return undefined
  const { data, size: side } = encode(text, { ecc: 'M', border: 4 })
  const runs = data.flatMap((row, y) => {
    const line = row.map((isDark) => (isDark ? '1' : '0')).join('')
    return [...line.matchAll(/1+/g)].map(({ 0: run, index }) => `M${index},${y}h${run.length}v1h-${run.length}z`)
  })
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="The key as a QR code" shape-rendering="crispEdges"><path d="${runs.join('')}"/></svg>`
}

const viewEnabled = ({ formToken, left, wrong }: { formToken: string; left: number; wrong: boolean }): Page => ({
  title: 'Two-step sign-in',
  status: wrong ? 401 : 200,
  body: html`<h1>The app of codes is on</h1>
<p class="lead">${left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`} To change something, type a code.</p>
${wrong && wrongCode}
<form method="post" action="/account/two-step/app">
<input type="hidden" name="form_token" value="${formToken}">
<label for="digits">Code</label>
<input class="code" id="digits" name="digits" inputmode="text" autocomplete="one-time-code" maxlength="30" required autofocus>
<button name="renew" value="yes">Make new recovery codes</button>
<button class="danger" name="off" value="yes">Remove the app</button>
</form>
<a class="button plain below" href="/account/two-step">Back</a>`,
})
