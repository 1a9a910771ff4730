import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Html, html } from './html.ts'
import { passkeyScript } from './passkey-script.ts'
import { style } from './style.ts'

export interface Page {
  title: string
  body: Html
  status?: number
  headers?: Record<string, string>
  /**
   * The form on it may end at a client's own address. Chrome applies `form-action` to the redirects after a POST, so
   * such a page goes without.
   */
  leadsAway?: boolean
  /** It has a form for a passkey, which no browser offers without a script. The rest of the page works without. */
  asksPasskey?: boolean
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hashOf(style)}'`,
  'img-src data:',
  "font-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
const passkeyPolicy = `; script-src 'sha256-${hashOf(passkeyScript)}'`

/**
 * No script but the one for passkeys, nothing but our fonts, nothing from elsewhere, never stored. The referrer goes to our own pages only: with `no-referrer` a browser
 * sends `Origin: null` with a form, and no form could be told from a foreign one.
 */
export const pageHeaders = ({ leadsAway, asksPasskey }: Page): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${policy}${leadsAway ? '' : "; form-action 'self'"}${asksPasskey ? passkeyPolicy : ''}`,
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

const logo = html`<svg viewBox="0 0 18 18" fill="none" aria-hidden="true"><path d="M2 6V2h4M12 2h4v4M16 12v4h-4M6 16H2v-4" stroke="currentColor" stroke-width="2"/><path d="M9 5.5v7" stroke="var(--pick)" stroke-width="3"/></svg>`

export const renderPage = ({ title, body, asksPasskey }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · nmp</title>
<link rel="icon" href="data:,">
<style>STYLE</style>
</head>
<body>
<header><a class="logo" href="/">${logo}nmp</a></header>
<main><div class="card">
${body}
</div></main>
${asksPasskey && html`<script>SCRIPT</script>`}
</body>
</html>
`.markup
    .replace('<style>STYLE', () => `<style>${style}`)
    .replace('<script>SCRIPT', () => `<script>${passkeyScript}`)

export function sendPage(response: ServerResponse, page: Page): void {
  const bytes = Buffer.from(renderPage(page))
  response.writeHead(page.status ?? 200, {
    ...pageHeaders(page),
    ...page.headers,
    'content-length': String(bytes.length),
  })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

export function redirect(response: ServerResponse, address: string): void {
  response.writeHead(303, { location: address, 'cache-control': 'no-store', 'content-length': '0' })
  response.end()
}
