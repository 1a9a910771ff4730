import { html } from './html.ts'
import { say, viewMessage } from './messages.ts'
import type { Page } from './page.ts'

const newPasswordHint = html`<p class="hint" id="hint">8 to 200 characters. A few words make a good one.</p>`

/** For password managers, which must know whose password it is. */
const usernameFor = (email: string) =>
  html`<input class="away" type="email" name="username" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`

export const viewForgot = ({ formToken }: { formToken: string }): Page => ({
  title: 'New password',
  body: html`<h1>Forgot the password?</h1>
<p class="lead">Tell us the e-mail of the account. A link to choose a new password goes there.</p>
<form method="post" action="/password/forgot">
<input type="hidden" name="form_token" value="${formToken}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="320" required autofocus>
<button>Send the link</button>
</form>
<p class="aside"><a href="/sign-in">Back to sign in</a></p>`,
})

interface ResetForm {
  formToken: string
  code: string
  email: string
  problem?: string
}

export const viewReset = ({ formToken, code, email, problem }: ResetForm): Page => ({
  title: 'New password',
  status: problem ? 422 : 200,
  body: html`<h1>Choose a new password</h1>
<p class="lead">For <span class="who">${email}</span>. All sessions of the account end with it.</p>
${problem && say('Not changed', problem)}
<form method="post" action="/password/reset">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="code" value="${code}">
${usernameFor(email)}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1000" aria-describedby="hint" required autofocus${problem && html` aria-invalid="true"`}>
${newPasswordHint}
<button>Change the password</button>
</form>`,
})

export const viewSpentReset = (): Page =>
  viewMessage({
    status: 410,
    title: 'This link is no longer valid',
    text: 'It was already used or has expired. Ask for a new one; only the newest mail works.',
    link: { href: '/password/forgot', label: 'Send a new link' },
  })

interface ChangeForm {
  formToken: string
  email: string
  hasPassword: boolean
  problem?: string
  field?: 'old' | 'new'
  status?: number
}

export const viewChange = ({ formToken, email, hasPassword, problem, field, status = 200 }: ChangeForm): Page => {
  const title = hasPassword ? 'Change the password' : 'Set a password'
  return {
    title,
    status,
    body: html`<h1>${title}</h1>
<p class="lead">For <span class="who">${email}</span>. Every other session of yours ends with it.</p>
${problem && say('Not changed', problem)}
<form method="post" action="/password/change">
<input type="hidden" name="form_token" value="${formToken}">
${usernameFor(email)}
${hasPassword && askOldPassword(field === 'old')}
<label for="new_password">New password</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" minlength="8" maxlength="1000" aria-describedby="hint" required${!hasPassword && html` autofocus`}${field === 'new' && html` aria-invalid="true"`}>
${newPasswordHint}
<button>${title}</button>
</form>
<p class="aside"><a href="/account">Back to the account</a></p>`,
  }
}

const askOldPassword = (isWrong: boolean) => html`<label for="old_password">Present password</label>
<input id="old_password" name="old_password" type="password" autocomplete="current-password" maxlength="1000" required autofocus${isWrong && html` aria-invalid="true"`}>`
