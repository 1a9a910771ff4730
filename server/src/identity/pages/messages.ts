import { type Html, html } from './html.ts'
import type { Page } from './page.ts'

interface Message {
  title: string
  text: string
  detail?: string
  link?: { href: string; label: string }
  status?: number
  headers?: Record<string, string>
}

export const viewMessage = ({ title, text, detail, link, ...page }: Message): Page => ({
  ...page,
  title,
  body: html`<h1>${title}</h1>
<p class="lead">${text}</p>
${link && html`<a class="button plain" href="${link.href}">${link.label}</a>`}
${detail && html`<small>${detail}</small>`}`,
})

/** What happened and what to do, read out at once by assistive technology. */
export const say = (title: string, text?: string): Html =>
  html`<div class="say" role="alert"><strong>${title}</strong>${text}</div>`

export const viewSignedOut = (): Page => ({
  title: 'Signed out',
  body: html`<h1>You are signed out</h1>
<p class="lead">This browser has no session any more, and the tokens it had are refused from now on.</p>
<a class="button" href="/sign-in">Sign in again</a>
<a class="button plain" href="/">Go to the catalog</a>`,
})

export const viewConfirmSignOut = ({ action, xsrf, email }: { action: string; xsrf: string; email: string }): Page => ({
  title: 'Sign out',
  body: html`<h1>Sign out?</h1>
<p class="lead">You are signed in as <span class="who">${email}</span>. Signing out ends the session in every tab of this browser.</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<button name="logout" value="yes">Sign out</button>
</form>
<a class="button plain below" href="/">Stay signed in</a>`,
})

export const viewForeignForm = (publicUrl: string): Page =>
  viewMessage({
    status: 403,
    title: 'This form is no longer valid',
    text: `It was opened too long ago, or on another site. Open the page again at ${publicUrl} and repeat what you did.`,
    detail: 'csrf',
    link: { href: '/account', label: 'Your account' },
  })

export const viewTooMany = (seconds: number): Page =>
  viewMessage({
    status: 429,
    headers: { 'retry-after': String(seconds) },
    title: 'Too many tries',
    text: `Wait ${describeWait(seconds)}, then try again. If you forgot the password, choose a new one by mail.`,
    link: { href: '/password/forgot', label: 'Choose a new password' },
  })

const describeWait = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 1 ? 'a minute' : `${minutes} minutes`
}
