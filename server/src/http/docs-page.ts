import type { TSchema } from 'typebox'
import { listRefusals } from './openapi.ts'
import { type AnyRoute, tags } from './route.ts'
import { renderSchema } from './schema-text.ts'

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The contract for people: one page, no script, nothing fetched from elsewhere. */
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
<style>${style}</style>
</head>
<body>
<nav aria-label="Routes">
  <a class="home" href="/">nmp</a>
  ${groups.map(({ tag, routes }) => `<h2>${tag}</h2>${routes.map((route) => `<a href="#${route.id}">${escapeHtml(route.summary)}</a>`).join('')}`).join('')}
</nav>
<main>
  <header>
    <h1>API ${version}</h1>
    <p>Bodies are JSON. A single object comes as <code>{item}</code>, a list as <code>{items}</code>; a field without a value is <code>null</code>; times are RFC 3339 in UTC. Send a session token or a personal access token as <code>Authorization: Bearer …</code>. The same for machines: <a href="/openapi.json">openapi.json</a>.</p>
  </header>
  ${groups.map(({ tag, routes }) => `<h2 class="group">${tag}</h2>${routes.map(renderRoute).join('')}`).join('')}
</main>
</body>
</html>
`
}

function renderRoute(route: AnyRoute): string {
  return `<article id="${route.id}">
  <h3><a href="#${route.id}">${escapeHtml(route.summary)}</a></h3>
  <p class="address"><b class="${route.method.toLowerCase()}">${route.method}</b> <code>${escapeHtml(route.path)}</code></p>
  <p class="who">${describeAccess(route).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
  ${route.description ? `<p>${escapeHtml(route.description)}</p>` : ''}
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
    credentials === 'none'
      ? 'No credential needed'
      : credentials === 'session'
        ? 'Session only'
        : `Session, or token with ${credentials.map((scope) => `\`${scope}\``).join(' and ')}`
  if (access.kind === 'org') return `${key} · ${access.role} of the organization`
  if (access.kind === 'project') return `${key} · ${access.role} of the project`
  return key
}

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 14%, transparent); --soft: color-mix(in srgb, currentColor 5%, transparent); font: 15px/1.55 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav a { display: block; padding: .2rem .5rem; color: inherit; text-decoration: none; border-radius: .25rem; }
nav a:hover { background: var(--soft); }
nav .home { font-weight: 700; font-size: 1rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; opacity: .6; margin: 1.25rem .5rem .25rem; }
main { padding: 2.5rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 62rem; }
h1 { letter-spacing: -.02em; margin: 0 0 .5rem; }
h2.group { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
article { padding: 1.5rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 1rem; }
h3 { margin: 0 0 .25rem; font-size: 1.0625rem; }
h3 a { color: inherit; text-decoration: none; }
.address { margin: 0; } .who { margin: .25rem 0 .75rem; opacity: .75; font-size: .875rem; } .refusals { opacity: .6; font-size: .8125rem; margin: .75rem 0 0; }
b { font: 600 .75rem/1 ui-monospace, monospace; padding: .2rem .4rem; border-radius: .25rem; background: var(--soft); }
b.get { color: light-dark(#0b6e4f, #6ee7b7); } b.post, b.put { color: light-dark(#1d4ed8, #93c5fd); } b.patch { color: light-dark(#92580a, #fcd34d); } b.delete { color: light-dark(#b42318, #fda29b); }
code, pre { font-family: ui-monospace, monospace; font-size: .875em; overflow-wrap: anywhere; }
pre { margin: .25rem 0 .5rem; padding: .75rem 1rem; background: var(--soft); border-radius: .5rem; overflow-x: auto; white-space: pre-wrap; }
summary { cursor: pointer; font-size: .8125rem; opacity: .8; }
a { color: light-dark(#1d4ed8, #93c5fd); }
@media (max-width: 760px) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); } }
`
