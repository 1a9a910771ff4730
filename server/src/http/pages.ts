import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors.ts'
import { renderDocsPage } from './docs-page.ts'
import { describeApi } from './openapi.ts'
import type { AnyRoute } from './route.ts'

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
    if (!existsSync(join(consoleFolder, 'index.html'))) {
      const welcome = renderWelcomePage(version, channel)
      app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(welcome))
      return
    }
    await app.register(fastifyStatic, { root: consoleFolder, wildcard: false, index: false })
    app.get('/*', (request, reply) => {
      // A page of the console is any address that is not the API's; the console itself says when there is no such page.
      if (request.url.startsWith('/api/') || request.url.startsWith('/assets/')) throw notFound()
      return reply.header('cache-control', 'no-cache').sendFile('index.html')
    })
  }

const renderWelcomePage = (version: string, channel: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>nmp</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.75rem; margin: 0 0 .25rem; letter-spacing: -.02em; }
  p { margin: 0 0 1.5rem; opacity: .75; }
  a { display: block; padding: .75rem 1rem; margin: .5rem 0; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; color: inherit; text-decoration: none; }
  a:hover, a:focus-visible { border-color: currentColor; }
  small { display: block; opacity: .7; }
</style>
<main>
  <h1>nmp</h1>
  <p>The robot-data platform, version ${version}, ${channel} channel, is running.</p>
  <a href="/account">Your account<small>Sign in, change your password, sign out</small></a>
  <a href="/docs">The API<small>Every route, who may call it, what it takes and answers</small></a>
  <a href="/openapi.json">openapi.json<small>The same for machines</small></a>
</main>
</html>
`
