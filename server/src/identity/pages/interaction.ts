import { signOutBrowser } from '../browser-session.ts'
import { noteDevice } from '../devices/service.ts'
import { findAccountById, type LocalAccount } from '../repository.ts'
import { viewConsent } from './consent.ts'
import { viewMessage } from './messages.ts'
import { type Page, sendPage } from './page.ts'
import type { PageHandler, PageRequest } from './page-request.ts'
import { authenticate, sendSignIn } from './sign-in.ts'

/** `/sign-in/:uid`: in the middle of a client's authorization request, to which it goes back: who are you, and may this program act as you. */
export const showInteraction: PageHandler = async (page) => {
  const interaction = await findInteraction(page)
  if (!interaction) return sendPage(page.response, viewLostInteraction())
  const known = interaction.session ? await findAccountById(page.context.db, interaction.session.accountId) : undefined
  if (interaction.prompt.name === 'consent' && known) return showConsent(page, interaction, known)
  const hint = interaction.params.login_hint
  await sendSignIn(page, {
    email: known?.email ?? (typeof hint === 'string' ? hint : ''),
    clientId: String(interaction.params.client_id),
  })
}

export const submitInteraction: PageHandler = async (page) => {
  const { context, request, response } = page
  const interaction = await findInteraction(page)
  if (!interaction) return sendPage(response, viewLostInteraction())
  if (interaction.prompt.name === 'consent') return submitConsent(page)
  const person = await authenticate(page, { clientId: String(interaction.params.client_id) })
  if (!person) return
  const { account, amr } = person
  const { provider } = await page.getProvider()
  if (interaction.session && interaction.session.accountId !== account.userId) {
    // Someone else was signed in here. They are signed out, and the request goes on without them.
    await signOutBrowser(context.db, provider, request, response)
    delete interaction.session
    await interaction.persist()
  }
  await noteDevice(page, account)
  await provider.interactionFinished(
    request,
    response,
    { login: { accountId: account.userId, remember: true, amr: [...amr] } },
    { mergeWithLastSubmission: false },
  )
}

type Interaction = NonNullable<Awaited<ReturnType<typeof findInteraction>>>

async function showConsent(page: PageRequest, { params }: Interaction, { email }: LocalAccount): Promise<void> {
  const { provider } = await page.getProvider()
  const client = await provider.Client.find(String(params.client_id))
  sendPage(
    page.response,
    viewConsent({
      action: page.url.pathname,
      formToken: page.issueToken(),
      email,
      clientName: client?.clientName ?? String(params.client_id),
      goesTo: new URL(String(params.redirect_uri)).host,
    }),
  )
}

/** The person of the session that the page was shown to: the provider refuses the answer of any other. */
async function submitConsent({ form, getProvider, request, response }: PageRequest): Promise<void> {
  const { provider } = await getProvider()
  const answer =
    form.get('confirm') === 'yes'
      ? { consent: {} }
      : { error: 'access_denied', error_description: 'The sign-in was refused in the browser.' }
  await provider.interactionFinished(request, response, answer, { mergeWithLastSubmission: false })
}

async function findInteraction({ getProvider, request, response, url }: PageRequest) {
  const { provider } = await getProvider()
  const found = await provider.interactionDetails(request, response).catch(() => undefined)
  return found && url.pathname === `/sign-in/${found.uid}` ? found : undefined
}

const viewLostInteraction = (): Page =>
  viewMessage({
    status: 400,
    title: 'This sign-in has expired',
    text: 'It was started too long ago or in another browser. Start again from where you came from.',
    link: { href: '/', label: 'Open nmp' },
  })
