import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { programVersion, settings } from './config.ts'
import { describeAccess } from './http/pages/docs-page.ts'
import { describeApi, listRefusals } from './http/pages/openapi.ts'
import { type AnyRoute, tags } from './http/route.ts'
import { renderSchema } from './http/validation/schema-text.ts'
import { routes } from './routes.ts'

/** Writes what is generated from code; with --check it only says what is out of date, and fails. */
const root = join(import.meta.dirname, '..', '..')
const onlyCheck = process.argv.includes('--check')

const renderSettings = (): string =>
  [
    '| setting | default | what it does |',
    '| --- | --- | --- |',
    ...Object.entries(settings).map(([name, { shown, about }]) => `| \`${name}\` | ${shown} | ${about} |`),
  ].join('\n')

const replaceBetween = (text: string, marker: string, content: string): string => {
  const [begin, end] = [`<!-- ${marker}:begin -->`, `<!-- ${marker}:end -->`]
  const [head, rest] = [text.indexOf(begin), text.indexOf(end)]
  if (head === -1 || rest < head) throw new Error(`The markers ${begin} and ${end} are missing.`)
  return `${text.slice(0, head + begin.length)}\n${content}\n${text.slice(rest)}`
}

const renderRoutes = (): string =>
  tags
    .map((tag) => routes.filter((route) => route.tag === tag))
    .filter((group) => group.length > 0)
    .map((group) => [`### ${group[0]?.tag}`, ...group.map(renderRoute)].join('\n\n'))
    .join('\n\n')

function renderRoute(route: AnyRoute): string {
  const parts = {
    query: route.query,
    body: route.body,
    answer: route.response === 'bytes' ? undefined : route.response,
  }
  const schemas = Object.entries(parts).flatMap(([name, schema]) => (schema ? [`${name} ${renderSchema(schema)}`] : []))
  return [
    `#### ${route.summary}`,
    '',
    `\`${route.method} ${route.path}\` · ${describeAccess(route)}`,
    '',
    route.description,
    '',
    '```',
    ...schemas,
    `refuses ${listRefusals(route).join(', ')}`,
    '```',
  ].join('\n')
}

const files: Record<string, (present: string) => string> = {
  'openapi.json': () => `${JSON.stringify(describeApi(routes, programVersion), null, 2)}\n`,
  'docs/api.md': (present) => replaceBetween(present, 'routes', renderRoutes()),
  'docs/operating.md': (present) => replaceBetween(present, 'settings', renderSettings()),
}

for (const [name, render] of Object.entries(files)) {
  const path = join(root, name)
  const present = await readFile(path, 'utf8').catch(() => '')
  const wanted = render(present)
  if (wanted === present) continue
  if (onlyCheck) {
    process.stderr.write(`${name} is out of date. Run npm run gen and commit it.\n`)
    process.exitCode = 1
  } else await writeFile(path, wanted)
}
