import { whatItMayDo } from './consent.ts'
import { html } from './html.ts'
import { say } from './messages.ts'
import type { Page } from './page.ts'

interface DeviceCodeForm {
  action: string
  xsrf: string
  userCode: string
  problem: string | undefined
}

export const viewDeviceCode = ({ action, xsrf, userCode, problem }: DeviceCodeForm): Page => ({
  title: 'Connect a command line',
  body: html`<h1>Connect a command line</h1>
<p class="lead">Type the code that it shows. Do this only if you started the sign-in yourself.</p>
${problem && say('Not connected', problem)}
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<label for="user_code">Code</label>
<input class="code" id="user_code" name="user_code" value="${userCode}" placeholder="XXXX-XXXX" maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus${problem && html` aria-invalid="true"`}>
<button>Continue</button>
</form>`,
})

interface DeviceConfirmForm {
  action: string
  xsrf: string
  userCode: string
  email: string
  clientName: string
  device: Record<string, unknown>
}

export const viewDeviceConfirm = ({ action, xsrf, userCode, email, clientName, device }: DeviceConfirmForm): Page => ({
  title: 'Connect a command line',
  body: html`<h1>Is this the code you see?</h1>
<p class="big" aria-label="Code">${userCode}</p>
<p class="lead">The program that shows it will act as <span class="who">${email}</span>. Never confirm a code that someone sent you.</p>
<dl>
<div><dt>Program</dt><dd>${clientName}</dd></div>
<div><dt>Says it is</dt><dd>${String(device.description ?? 'unknown')}</dd></div>
<div><dt>Asked from</dt><dd class="mono">${String(device.address ?? 'unknown')}</dd></div>
</dl>
${whatItMayDo}
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<input type="hidden" name="user_code" value="${userCode}">
<button name="confirm" value="yes">Yes, connect it</button>
<button class="plain" name="abort" value="yes">No, refuse</button>
</form>`,
})

export const viewDeviceConnected = (): Page => ({
  title: 'Connected',
  body: html`<h1>Connected</h1>
<div class="say ok" role="status"><strong>The command line is signed in</strong>Go back to it; it goes on by itself. You can close this page.</div>`,
})

/** A user agent as a few words; it is the client's own claim, and bounded. */
export const describeDevice = (userAgent: string): string =>
  userAgent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 60) || 'unknown'
