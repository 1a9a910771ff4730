import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import type { AnyRoute } from '../route.ts'
import { docsScript, renderDocsPage } from './docs-page.ts'
import { describeApi } from './openapi.ts'
import { iconUrl, welcomeStyle } from './page-style.ts'

interface PageOptions {
  routes: readonly AnyRoute[]
  version: string
  channel: string
  /** Where `npm run build` puts the console; it is served when it is there. */
  consoleFolder: string
}

/** What a person opens in a browser: the contract, its readable page, and the console. */
export const mountPages =
  ({ routes, version, channel, consoleFolder }: PageOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    const openapi = JSON.stringify(describeApi(routes, version), null, 2)
    const docs = renderDocsPage(routes, version)
    app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(openapi))
    app.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(docs))
    app.get('/docs/search.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(docsScript))
    if (!existsSync(join(consoleFolder, 'index.html'))) {
      const welcome = renderWelcomePage(version, channel)
      app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(welcome))
      return
    }
    // Looked for on disk at each request: a console that is built anew beside a running program stays whole.
    await app.register(fastifyStatic, {
      root: join(consoleFolder, 'assets'),
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
    })
    app.get('/*', (request, reply) => {
      const file = topFiles.find((name) => request.url === `/${name}`) ?? 'index.html'
      if (file === 'index.html' && !pageForm.test(request.url)) {
        if (!isPerson(request)) throw notFound()
        reply.code(404)
      }
      return reply.header('cache-control', 'no-cache').sendFile(file, consoleFolder, { cacheControl: false })
    })
  }

/** Addresses of the console's pages; below them the console itself says when there is no such page. */
const pageForm = /^\/((datasets|orgs|settings|inbox|status|signed-in)(\/[^?#]*)?)?(\?|$)/

/** In a browser the console itself says that there is no such page, and offers ways to continue. */
const isPerson = ({ url, headers }: FastifyRequest): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(api|hf|assets)\b/.test(url)

/** Of the console, beside its page and its assets. */
const topFiles = ['theme.js', 'icon.svg']

const renderWelcomePage = (version: string, channel: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>nmp</title>
<link rel="icon" type="image/svg+xml" href="${iconUrl}">
<style>${welcomeStyle}</style>
<main>
  <h1>nmp</h1>
  <p>The robot-data platform, version ${version}, ${channel} channel, is running.</p>
  <a href="/account">Your account<small>Sign in, change your password, sign out</small></a>
  <a href="/docs">The API<small>Every route, who may call it, what it takes and answers</small></a>
  <a href="/openapi.json">openapi.json<small>The same for machines</small></a>
</main>
</html>
`
