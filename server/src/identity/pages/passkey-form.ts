import { type Html, html } from './html.ts'

interface PasskeyForm {
  kind: 'get' | 'create'
  action: string
  formToken: string
  /** What the browser asks the authenticator, as JSON. */
  ask: string
  label: string
  isPlain?: boolean
  /** Further fields. */
  fields?: Html | undefined
}

/** Hidden until the script of the page has found a browser that knows passkeys. */
export const viewPasskeyForm = ({ kind, action, formToken, ask, label, isPlain, fields }: PasskeyForm): Html =>
  html`<form method="post" action="${action}" data-passkey="${kind}" data-ask="${ask}" hidden>
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="passkey" value="">
${fields}
<button${isPlain && html` class="plain"`}>${key}${label}</button>
<div class="say" role="alert" hidden><strong>Not confirmed</strong><span></span></div>
</form>`

const key = html`<svg class="key" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true"><circle cx="5" cy="8" r="3"/><path d="M8 8h6.5M12 8v3"/></svg>`
