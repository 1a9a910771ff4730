import { html } from './html.ts'
import type { Page } from './page.ts'

/** What a session of the command line can do, whichever way it was asked for. */
export const whatItMayDo = html`<p class="aside">It may then:</p>
<ul class="may">
<li>See, import, change, publish and delete everything that you may.</li>
<li>Make versions and exports of it, and take them out.</li>
<li>Make personal access tokens, which live 30 days unless it asks for more, and are listed in your settings with where they came from.</li>
</ul>`

interface ConsentForm {
  action: string
  formToken: string
  email: string
  clientName: string
  /** Where the program waits for the answer: a port of the machine that the browser runs on. */
  goesTo: string
}

/** Any program of a machine can say that it is the command line, so a person who did not start one must be able to tell. */
export const viewConsent = ({ action, formToken, email, clientName, goesTo }: ConsentForm): Page => ({
  title: 'Let a program act as you',
  leadsAway: true,
  body: html`<h1>Let this program act as you?</h1>
<p class="lead">Say yes only if you have just started a sign-in on this machine yourself.</p>
<dl>
<div><dt>Says it is</dt><dd>${clientName}</dd></div>
<div><dt>Acts as</dt><dd>${email}</dd></div>
<div><dt>Waits at</dt><dd class="mono">${goesTo}</dd></div>
</dl>
${whatItMayDo}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
<button name="confirm" value="yes">Yes, let it</button>
<button class="plain" name="refuse" value="yes" autofocus>No, refuse</button>
</form>`,
})
