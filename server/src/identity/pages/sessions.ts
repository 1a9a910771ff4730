import { nameProgram } from '../client-ids.ts'
import { callerOf } from '../local-accounts.ts'
import { endOtherSessions, endSession, isCurrent, type ListedSession, listSessions } from '../session-list/service.ts'
import { describeUserAgent } from '../user-agent.ts'
import { requireSession } from './account.ts'
import { type Html, html } from './html.ts'
import { type Page, redirect, sendPage } from './page.ts'
import type { PageHandler } from './page-request.ts'

const mostShown = 100

/** `/account/sessions`: where a person is signed in. */
export const showSessions: PageHandler = async (page) => {
  const session = await requireSession(page)
  if (!session) return
  const { rows } = await listSessions(page.context.db, session.account.userId, { limit: mostShown })
  const current = rows.find((row) => isCurrent(row, { browserUid: session.uid }))
  const others = rows.filter((row) => row !== current)
  sendPage(page.response, viewSessions({ formToken: page.issueToken(), current, others }))
}

export const submitSessions: PageHandler = async (page) => {
  const { context, form, response, client } = page
  const session = await requireSession(page)
  if (!session) return
  const caller = callerOf(session.account, client.requestId)
  const id = form.get('end')
  if (id !== null) await endSession(context.db, caller, id)
  else if (form.get('others') === 'yes') await endOtherSessions(context.db, caller, { browserUid: session.uid })
  redirect(response, `${context.publicUrl}/account/sessions`)
}

interface SessionsPage {
  formToken: string
  current: ListedSession | undefined
  others: readonly ListedSession[]
}

const viewSessions = ({ formToken, current, others }: SessionsPage): Page => ({
  title: 'Where you are signed in',
  body: html`<h1>Where you are signed in</h1>
<p class="lead">What you end here is refused from its next request on. Personal access tokens are revoked in the settings.</p>
<ul class="rows">
${current && viewSession(current, html`<em class="now">This browser</em>`)}
${others.map((session) =>
  viewSession(
    session,
    html`<form method="post" action="/account/sessions"><input type="hidden" name="form_token" value="${formToken}">
<button class="plain small" name="end" value="${session.id}" aria-label="End ${nameOf(session)} at ${session.address}">End</button></form>`,
  ),
)}
</ul>
${
  others.length > 1 &&
  html`<form method="post" action="/account/sessions"><input type="hidden" name="form_token" value="${formToken}">
<button class="danger" name="others" value="yes">End all others</button></form>`
}
<a class="button plain below" href="/account">Your account</a>`,
})

const viewSession = (session: ListedSession, end: Html): Html =>
  html`<li class="row"><div><strong>${nameOf(session)}</strong><span>${programNames[programOf(session)]} at <span class="mono inline">${session.address}</span></span><span>Since ${minute(session.createdAt)}</span><span>Seen ${minute(session.lastSeenAt)}</span></div>
${end}</li>`

const programNames = {
  console: 'Console',
  command_line: 'Command line',
  operator: 'By the operator',
  other: 'Another program',
  browser: 'Browser',
}

const programOf = ({ kind, clientId }: ListedSession): keyof typeof programNames =>
  kind === 'browser' ? 'browser' : nameProgram(clientId, '')

const nameOf = ({ userAgent }: ListedSession): string => describeUserAgent(userAgent)

const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
