import type { TSchema } from 'typebox'
import { type AnyRoute, tags } from '../route.ts'
import { renderSchema } from '../validation/schema-text.ts'
import { listRefusals } from './openapi.ts'
import { docsStyle, iconUrl } from './page-style.ts'

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The contract for people: one page, nothing fetched from elsewhere; without its script it is whole, and only not searched. */
export function renderDocsPage(routes: readonly AnyRoute[], version: string): string {
  const groups = tags
    .map((tag) => ({ tag, routes: routes.filter((route) => route.tag === tag) }))
    .filter((group) => group.routes.length > 0)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>nmp API ${version}</title>
<link rel="icon" type="image/svg+xml" href="${iconUrl}">
<style>${docsStyle}</style>
<script src="/docs/search.js" defer></script>
<script src="/theme.js"></script>
</head>
<body>
<nav aria-label="Routes">
  <a class="home" href="/">nmp <small>back to the console</small></a>
  <input type="search" id="search" aria-label="Search the routes" placeholder="Search: words, paths, fields" autocomplete="off" hidden>
  <output id="found" for="search" aria-live="polite"></output>
  ${groups.map(({ tag, routes }) => `<section><h2>${tag}</h2>${routes.map((route) => `<a href="#${route.id}">${escapeHtml(route.summary)}</a>`).join('')}</section>`).join('')}
</nav>
<main>
  <header>
    <h1>API ${version}</h1>
    <p>Bodies are JSON. A single object comes as <code>{item}</code>, a list as <code>{items}</code>; a field without a value is <code>null</code>; times are RFC 3339 in UTC. Send a session token or a personal access token as <code>Authorization: Bearer …</code>. The same for machines: <a href="/openapi.json">openapi.json</a>.</p>
  </header>
  ${groups.map(({ tag, routes }) => `<section><h2 class="group">${tag}</h2>${routes.map(renderRoute).join('')}</section>`).join('')}
</main>
</body>
</html>
`
}

/** Shows the routes that have every word; a file of its own, since pages run no script that stands in them. */
export const docsScript = `
const field = document.querySelector('#search')
const found = document.querySelector('#found')
const articles = [...document.querySelectorAll('article')].map((element) => ({
  element,
  link: document.querySelector('nav a[href="#' + element.id + '"]'),
  text: element.textContent.toLowerCase(),
}))
field.hidden = false
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let count = 0
  for (const { element, link, text } of articles) {
    const isShown = words.every((word) => text.includes(word))
    element.hidden = !isShown
    if (link) link.hidden = !isShown
    if (isShown) count++
  }
  for (const section of document.querySelectorAll('section'))
    section.hidden = !section.querySelector('a:not([hidden]), article:not([hidden])')
  found.value = words.length === 0 ? '' : count === 1 ? '1 route' : count === 0 ? 'Nothing matches.' : count + ' routes'
})
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === field) return
  event.preventDefault()
  field.focus()
})
`

function renderRoute(route: AnyRoute): string {
  return `<article id="${route.id}">
  <h3><a href="#${route.id}">${escapeHtml(route.summary)}</a></h3>
  <p class="address"><b class="${route.method.toLowerCase()}">${route.method}</b> <code>${escapeHtml(route.path)}</code></p>
  <p class="who">${describeAccess(route).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
  <p>${escapeHtml(route.description)}</p>
  ${renderPart('Path', route.params)}${renderPart('Query', route.query)}${renderPart('Headers', route.headers)}${renderPart('Body', route.body)}
  ${route.response === 'bytes' ? '' : renderPart(`Answer ${route.status ?? 200}`, route.response)}
  <p class="refusals">Refuses with ${listRefusals(route).join(', ')}</p>
</article>`
}

const renderPart = (title: string, schema: TSchema | undefined): string =>
  schema
    ? `<details${title.startsWith('Answer') ? '' : ' open'}><summary>${title}</summary><pre>${escapeHtml(renderSchema(schema))}</pre></details>`
    : ''

/** Who may call a route, as a phrase; scopes in backquotes. */
export function describeAccess({ credentials, access }: AnyRoute): string {
  const key =
    credentials === 'none' || credentials === 'optional'
      ? 'No credential needed'
      : credentials === 'session'
        ? 'Session only'
        : `Session, or token with ${credentials.map((scope) => `\`${scope}\``).join(' and ')}`
  if (access.kind === 'org') return `${key} · ${access.role} of the organization`
  if (access.kind === 'project') return `${key} · ${access.role} of the project`
  return key
}
