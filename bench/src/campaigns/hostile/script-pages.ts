import { getChromium, launchBrowser } from '../../../../e2e/console-browser.ts'
import { type HostileGround, type Person, project } from './ground.ts'
import { longPayload, mark, shortPayload } from './script-payloads.ts'
import { judgePolicies } from './script-policy.ts'
import { type PoisonedSeed, seedPoison } from './script-seed.ts'
import { type Family, judge, type Verdict } from './verdict.ts'

type Browser = Awaited<ReturnType<typeof launchBrowser>>
type Page = Awaited<ReturnType<Browser['newPage']>>

/** Pages that show what somebody else has written. */
const listPages = ({
  datasetId,
  versionId,
  importId,
  failedImportId,
  org,
}: PoisonedSeed): [name: string, path: string][] => {
  const set = `/datasets/${datasetId}`
  const place = `/orgs/${org}/projects/${project}`
  return [
    ['catalog', '/'],
    ['catalog as a list', '/?view=list'],
    ['dataset', set],
    ['frames', `${set}/frames`],
    ['statistics', `${set}/statistics`],
    ['insights', `${set}/insights`],
    ['files', `${set}/files`],
    ['versions of a dataset', `${set}/versions`],
    ['flags', `${set}/flags`],
    ['manage', `${set}/manage`],
    ['player', `${set}/episodes/0`],
    ['recipe', `${set}/recipe`],
    ['version', `/datasets/${versionId}`],
    ['derivation', `/datasets/${versionId}/derivation`],
    ['datasets of a project', `${place}/datasets`],
    ['versions of a project', `${place}/versions`],
    ['imports', `${place}/imports`],
    ['import', `${place}/imports/${importId}`],
    ['failed import', `${place}/imports/${failedImportId}`],
    ['members of a project', `${place}/members`],
    ['members', `/orgs/${org}/members`],
    ['projects', `/orgs/${org}/projects`],
    ['audit', `/orgs/${org}/audit`],
    ['profile', '/settings/profile'],
    ['tokens', '/settings/tokens'],
    ['inbox', '/inbox'],
  ]
}

/** Addresses with a payload in them, of the console and of the pages of the issuer. */
const poison = encodeURIComponent(shortPayload('address'))
const addresses: [name: string, path: string][] = [
  ['search of the catalog', `/?q=${poison}&sort=${poison}&view=${poison}`],
  ['filters of the catalog', `/?robot_type=${poison}&tag=${poison}&min_seconds=${poison}`],
  ['a dataset that is not there', `/datasets/${poison}`],
  ['a page that is not there', `/${poison}`],
  ['an organization that is not there', `/orgs/${poison}/members`],
  ['a project that is not there', `/orgs/x/projects/${poison}/imports`],
  ['the fragment', `/#${poison}`],
  ['the return from the issuer', `/signed-in?error=${poison}&error_description=${poison}&state=${poison}`],
  ['the sign-in page', `/sign-in?next=${poison}&code=${poison}&email=${poison}`],
  ['a sign-in under way', `/sign-in/${poison}`],
  ['an invite', `/invite?token=${poison}`],
  ['a device', `/device?user_code=${poison}`],
  ['a new password', `/password/reset?token=${poison}`],
  ['an error of the issuer', `/oidc/auth?client_id=${poison}&redirect_uri=${poison}&scope=${poison}`],
  ['the end of a session', `/oidc/session/end?post_logout_redirect_uri=${poison}&id_token_hint=${poison}`],
  ['an answer of the API', `/api/v1/orgs/${poison}/projects?limit=${poison}`],
  ['an answer of the Hub door', `/hf/api/datasets/${poison}/x`],
  ['the page of the API', `/docs?${poison}#${poison}`],
]

export const scriptPages: Family = {
  name: 'scripts',
  title: 'script injection, page by page and field by field, in Chromium',
  bar: 'shown as text: no script runs, no element is made of it, nothing is fetched; the policy of each kind of page stops what would get in',
  run: async function* (ground) {
    const seed = await seedPoison(ground)
    const browser = await launchBrowser(getChromium())
    try {
      yield await judgeWatch(browser, ground)
      for (const [name, path] of listPages(seed)) yield* judgePage(browser, ground, name, path)
      for (const [name, path] of addresses) yield await judgeAddress(browser, ground, name, path)
      yield* judgePolicies(browser, ground.program.url)
    } finally {
      await browser.close()
    }
  },
}

interface Seen {
  ran: string[]
  requests: string[]
  text: string
  elements: number
  links: number
}

const settleMs = 15_000

async function look(browser: Browser, url: string, path: string, person: Person, instead?: string): Promise<Seen> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 2000 },
    reducedMotion: 'reduce',
  })
  const session = JSON.stringify({ accessToken: person.bearer, expiresAt: Date.now() + 3_600_000 })
  const page = await context.newPage()
  const ran: string[] = []
  const requests: string[] = []
  try {
    await page.exposeFunction('hostileRan', (field: string) => ran.push(field))
    await page.addInitScript(`sessionStorage.setItem('nmp.session', ${JSON.stringify(session)})`)
    page.on('dialog', async (dialog) => {
      ran.push(`dialog ${dialog.message()}`)
      await dialog.dismiss()
    })
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith(`/${mark}`)) requests.push(request.url())
    })
    if (instead !== undefined)
      await page.route('**/hostile-watch', (route) => route.fulfill({ contentType: 'text/html', body: instead }))
    await page.goto(path, { waitUntil: 'load' })
    await waitForCalm(page)
    const found = await page.evaluate<Omit<Seen, 'ran' | 'requests'>>(`({
      text: [document.body?.innerText ?? '', document.title, ...[...document.querySelectorAll('input,textarea')].map((one) => one.value)].join(' '),
      elements: document.querySelectorAll('[src*="${mark}"], [onerror], [onload], iframe[srcdoc], math, [http-equiv=refresh]').length
        + [...document.scripts].filter((one) => one.textContent.includes('hostileRan')).length,
      links: document.querySelectorAll('[href^="javascript:" i], [action^="javascript:" i], a[href^="data:" i]').length,
    })`)
    return {
      ran,
      requests: requests.filter((request) => new URL(request).pathname !== new URL(path, url).pathname),
      ...found,
    }
  } finally {
    await context.close()
  }
}

/** Until the page has said something and loads no more. */
async function waitForCalm(page: Page): Promise<void> {
  const isCalm = `!document.querySelector('.late,[aria-label="Loading"]') && (document.body?.innerText ?? '').length > 0`
  const end = Date.now() + settleMs
  for (let calm = 0; calm < 3 && Date.now() < end; ) {
    await page.waitForTimeout(150)
    calm = (await page.evaluate<boolean>(isCalm)) ? calm + 1 : 0
  }
}

const describe = ({ ran, requests, elements, links }: Seen): string =>
  ran.length + requests.length + elements + links === 0
    ? 'shown as text'
    : `ran ${ran.join(', ') || 'nothing'}, ${requests.length} requests, ${elements} elements, ${links} links`
const isClean = ({ ran, requests, elements, links }: Seen): boolean =>
  ran.length + requests.length + elements + links === 0

/** A page that makes markup of what it shows must be noticed: otherwise none of the others says anything. */
const judgeWatch = (browser: Browser, { program, mallory }: HostileGround): Promise<Verdict> =>
  judge('a page that lets it through is noticed', async () => {
    const seen = await look(browser, program.url, '/hostile-watch', mallory, `<p>x</p>${longPayload('watch')}`)
    return { held: seen.ran.includes('watch') && seen.requests.length > 0 && seen.elements > 0, words: describe(seen) }
  })

/** A case for each field whose text the page shows; where it shows none, one for the page. */
async function* judgePage(
  browser: Browser,
  { program, mallory }: HostileGround,
  name: string,
  path: string,
): AsyncGenerator<Verdict> {
  let seen: Seen
  try {
    seen = await look(browser, program.url, path, mallory)
  } catch (error) {
    yield { name, held: false, words: String(error) }
    return
  }
  const fields = new Set([...seen.text.matchAll(/hostile-mark-([a-z]+)/g)].map(([, field]) => field ?? ''))
  for (const field of fields.size > 0 ? fields : ['nothing'])
    yield { name: `${name}: ${field}`, held: isClean(seen), words: describe(seen) }
}

const judgeAddress = (
  browser: Browser,
  { program, ada }: HostileGround,
  name: string,
  path: string,
): Promise<Verdict> =>
  judge(`address: ${name}`, async () => {
    const seen = await look(browser, program.url, path, ada)
    return { held: isClean(seen), words: describe(seen) }
  })
