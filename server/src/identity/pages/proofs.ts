import type { BrowserSession } from '../browser-session.ts'
import { requireSession } from './account.ts'
import { html } from './html.ts'
import { type Page, redirect } from './page.ts'
import type { PageRequest } from './page-request.ts'

const freshMinutes = 15

export const isFresh = ({ signedInAt }: BrowserSession): boolean =>
  signedInAt.getTime() > Date.now() - freshMinutes * 60_000

/** Leads through the sign-in once more, and back. */
export const signInAgainPath = (next: string): string => `/sign-in?again=1&next=${encodeURIComponent(next)}`

/** Who may change how they sign in: somebody who has just done so, and not whoever finds the browser open. */
export async function requireFreshSession(page: PageRequest): Promise<BrowserSession | undefined> {
  const session = await requireSession(page)
  if (!session || isFresh(session)) return session
  redirect(page.response, page.context.publicUrl + signInAgainPath(page.url.pathname))
  return undefined
}

/** The owner hears of it, in case it was someone else. */
export const tellOwner = ({ context, runAside }: PageRequest, email: string, what: string): void =>
  runAside(() =>
    context.sendMail({
      to: email,
      subject: what,
      text: [
        `${what}: ${email} at ${context.publicUrl}, just now.`,
        `If it was not you, choose a new password immediately (${context.publicUrl}/password/forgot), then look at ${context.publicUrl}/account/two-step.`,
      ].join('\n\n'),
    }),
  )

export const viewRecoveryCodes = (codes: readonly string[]): Page => ({
  title: 'Recovery codes',
  body: html`<h1>Keep these codes</h1>
<p class="lead">Each signs you in once when the app or the passkey is lost. They are shown now and never again; those of before no longer work.</p>
<ul class="codes">
${codes.map((code) => html`<li>${code}</li>`)}
</ul>
<a class="button below" href="/account/two-step">I have kept them</a>`,
})
