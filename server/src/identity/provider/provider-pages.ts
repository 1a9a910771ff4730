import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import type { Context } from '../../context.ts'
import { viewDeviceCode, viewDeviceConfirm, viewDeviceConnected } from '../pages/device.ts'
import { viewConfirmSignOut, viewMessage, viewSignedOut } from '../pages/messages.ts'
import { type Page, pageHeaders, renderPage } from '../pages/page.ts'
import { findAccountById } from '../repository.ts'
import { endGrant } from './adapter.ts'

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>
type DeviceSource<N extends 'userCodeInputSource' | 'userCodeConfirmSource' | 'successSource'> = NonNullable<
  DeviceFlow[N]
>

/** What the provider shows by itself: device codes, signing out, and what went wrong. */
export function createProviderPages({ db, publicUrl }: Context) {
  const show = (ctx: KoaContextWithOIDC, page: Page): void => {
    ctx.set(pageHeaders(page))
    ctx.type = 'html'
    ctx.body = renderPage(page)
  }
  const secretOf = (ctx: KoaContextWithOIDC): string => String(ctx.oidc.session?.state?.secret ?? '')

  const askUserCode: DeviceSource<'userCodeInputSource'> = (ctx, _form, out, error) => {
    const named = error as (Error & { userCode?: string }) | undefined
    if (named) ctx.status = named.name === 'AbortedError' ? 200 : 400
    const action = ctx.oidc.urlFor('code_verification')
    const problem = named
      ? (deviceProblems[named.name] ?? out?.error_description ?? deviceProblems.NotFoundError)
      : undefined
    const userCode = named?.userCode ?? String(ctx.state.userCode ?? '')
    show(ctx, viewDeviceCode({ action, xsrf: secretOf(ctx), userCode, problem }))
  }

  const confirmUserCode: DeviceSource<'userCodeConfirmSource'> = async (ctx, _form, client, deviceInfo, userCode) => {
    const account = await findAccountById(db, ctx.oidc.session?.accountId ?? '')
    show(
      ctx,
      viewDeviceConfirm({
        action: ctx.oidc.urlFor('code_verification'),
        xsrf: secretOf(ctx),
        userCode,
        email: account?.email ?? '',
        clientName: client.clientName ?? client.clientId,
        device: deviceInfo,
      }),
    )
  }

  /** A valid `id_token_hint` of the person signed in is their own client speaking: no second question. */
  const confirmSignOut = async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { session, entities, provider } = ctx.oidc
    const account = await findAccountById(db, session?.accountId ?? '')
    const hinted = (entities.IdTokenHint as { payload?: { sub?: unknown } } | undefined)?.payload?.sub
    if (!session || hinted !== session.accountId)
      return show(
        ctx,
        viewConfirmSignOut({
          action: ctx.oidc.urlFor('end_session_confirm'),
          xsrf: secretOf(ctx),
          email: account?.email ?? '',
        }),
      )
    const { postLogoutRedirectUri, state } = (session.state ?? {}) as { postLogoutRedirectUri?: string; state?: string }
    for (const { grantId, persistsLogout } of Object.values(session.authorizations ?? {}))
      if (grantId && !persistsLogout) await endGrant(db, grantId)
    await session.destroy()
    ctx.cookies.set(provider.cookieName('session'), null, { path: '/' })
    const target = new URL(postLogoutRedirectUri ?? `${publicUrl}/account/signed-out`)
    if (postLogoutRedirectUri && state !== undefined) target.searchParams.set('state', state)
    ctx.status = 303
    ctx.redirect(target.href)
  }

  return {
    askUserCode,
    confirmUserCode,
    confirmSignOut,
    showDeviceConnected: ((ctx) => show(ctx, viewDeviceConnected())) as DeviceSource<'successSource'>,
    showSignedOut: (ctx: KoaContextWithOIDC): void => show(ctx, viewSignedOut()),
    renderError: (ctx: KoaContextWithOIDC, out: ErrorOut): void =>
      show(
        ctx,
        viewMessage({
          title: 'This sign-in cannot continue',
          text: 'It was started too long ago, in another browser, or by a program that asked for something it may not have. Start again from there.',
          detail: [out.error, out.error_description].filter(Boolean).join(': '),
          link: { href: '/', label: 'Open nmp' },
        }),
      ),
  }
}

const deviceProblems: Record<string, string> = {
  NoCodeError: 'Type the code that the command line shows.',
  NotFoundError: 'There is no such code. Compare it with the one the command line shows.',
  ExpiredError: 'This code has expired. Start the sign-in on the command line again.',
  AlreadyUsedError: 'This code was already used. Start the sign-in on the command line again.',
  AbortedError: 'Refused. The command line was not signed in.',
}
