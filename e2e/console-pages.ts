import type { Browser, BrowserContext, Page } from 'playwright-core'
import { patienceMs } from './console-browser.ts'
import type { Seeded } from './console-seed.ts'

export interface ConsolePage {
  name: string
  path: string
  /** Opens what is not open by itself: a dialog, a menu, a selection. */
  act?(page: Page, width: number): Promise<void>
}

/** Every page of the console, and what opens over them. */
export function listConsolePages(seeded: Seeded): ConsolePage[] {
  const { org, project, dataset, versionId, composedId, failedImportId, lossyImportId } = seeded
  const set = `/datasets/${dataset}`
  const place = `/orgs/${org}/projects/${project}`
  return [
    { name: 'catalog', path: '/' },
    { name: 'catalog-hover', path: '/?sort=name', act: hoverCard },
    { name: 'catalog-list', path: '/?view=list&sort=size' },
    { name: 'catalog-filter', path: '/?min_seconds=5&max_seconds=400', act: openFilters },
    { name: 'catalog-nothing', path: '/?q=spot&robot_type=panda' },
    { name: 'dataset', path: set },
    { name: 'dataset-selected', path: `${set}?sort=motion`, act: selectRows },
    { name: 'dataset-flagged', path: `${set}?show=flagged` },
    { name: 'dataset-split', path: `${set}?split=val` },
    { name: 'frames', path: `${set}/frames` },
    { name: 'statistics', path: `${set}/statistics` },
    { name: 'insights', path: `${set}/insights` },
    { name: 'insights-selected', path: `${set}/insights`, act: selectStandouts },
    { name: 'insights-brush', path: `${set}/insights?plot=motion&from=0.01&to=0.024` },
    { name: 'checks', path: `${set}/checks` },
    { name: 'checks-rule', path: `${set}/checks?rule=command-error&cut_off=0.06` },
    { name: 'checks-run', path: `${set}/checks?rule=gripper-chatter` },
    { name: 'checks-ranking', path: `${set}/checks?rule=length` },
    { name: 'checks-none', path: `/datasets/${composedId}/checks` },
    { name: 'files', path: `${set}/files` },
    { name: 'dataset-versions', path: `${set}/versions` },
    { name: 'flags', path: `${set}/flags` },
    { name: 'reviews', path: `${set}/reviews` },
    { name: 'review', path: `${set}/reviews`, act: startReview },
    { name: 'manage', path: `${set}/manage` },
    { name: 'manage-robot', path: `${set}/manage`, act: scrollTo('Robot and work') },
    { name: 'publish', path: `/datasets/${versionId}/derivation`, act: clickButton('Publish in the catalog') },
    { name: 'export', path: `/datasets/${versionId}/derivation`, act: clickButton('Export for another trainer') },
    { name: 'copy', path: `/datasets/${versionId}/derivation`, act: clickButton('Copy as a dataset') },
    { name: 'python', path: set, act: clickButton('Use in Python') },
    { name: 'keys', path: set, act: pressKey('?') },
    { name: 'nothing', path: '/datasets/ds_00000000000000000000000000000000' },
    { name: 'player', path: `${set}/episodes/1?t=1` },
    { name: 'player-still', path: `${set}/episodes/1?t=1`, act: openRests },
    { name: 'recipe', path: `${set}/recipe` },
    { name: 'recipe-episodes', path: `${set}/recipe?step=episodes` },
    { name: 'recipe-cameras', path: `${set}/recipe?step=cameras` },
    { name: 'recipe-resize', path: `${set}/recipe?step=resize` },
    { name: 'recipe-action', path: `${set}/recipe?step=action` },
    { name: 'recipe-annotations', path: `${set}/recipe?step=annotations` },
    { name: 'recipe-time', path: `${set}/recipe?step=time`, act: cutRests },
    { name: 'recipe-features', path: `${set}/recipe?step=features` },
    { name: 'recipe-sources', path: `${set}/recipe?step=sources` },
    { name: 'recipe-add-source', path: `${set}/recipe?step=sources`, act: clickButton('Add a source') },
    { name: 'datasets', path: `${place}/datasets` },
    { name: 'datasets-selected', path: `${place}/datasets`, act: selectDatasets },
    { name: 'datasets-list', path: `${place}/datasets?view=list` },
    { name: 'versions', path: `${place}/versions` },
    { name: 'version', path: `/orgs/${org}/versions/${versionId}` },
    { name: 'version-recipe', path: `/datasets/${versionId}/derivation` },
    { name: 'version-episode', path: `/datasets/${versionId}/episodes/0` },
    { name: 'version-menu', path: `${place}/versions`, act: openVersionMenu },
    { name: 'version-share', path: `/datasets/${versionId}/derivation`, act: scrollTo('Who sees it') },
    { name: 'composed', path: `/datasets/${composedId}` },
    { name: 'composed-recipe', path: `/datasets/${composedId}/derivation` },
    { name: 'composed-episode', path: `/datasets/${composedId}/episodes/1?t=2` },
    { name: 'composed-statistics', path: `/datasets/${composedId}/statistics` },
    { name: 'imports', path: `${place}/imports` },
    { name: 'import-failed', path: `${place}/imports/${failedImportId}` },
    { name: 'import-lossy', path: `${place}/imports/${lossyImportId}` },
    { name: 'dataset-lossy', path: `${place}/imports/${lossyImportId}`, act: openDataset },
    { name: 'new-import', path: `${place}/imports?new=upload` },
    { name: 'import', path: `${place}/imports?show=done`, act: openImport },
    { name: 'import-again', path: `${place}/imports?show=done`, act: importAgain },
    { name: 'me', path: `${place}/datasets`, act: openMe },
    { name: 'project-members', path: `${place}/members` },
    { name: 'members', path: `/orgs/${org}/members` },
    { name: 'storage', path: `/orgs/${org}/storage` },
    { name: 'org-security', path: `/orgs/${org}/security` },
    { name: 'audit', path: `/orgs/${org}/audit` },
    { name: 'profile', path: '/settings/profile' },
    { name: 'security', path: '/settings/security' },
    { name: 'tokens', path: '/settings/tokens' },
    { name: 'status', path: '/status' },
    { name: 'notifications', path: '/settings/notifications' },
    { name: 'inbox', path: '/inbox' },
  ]
}

/** The first two cards. */
async function selectDatasets(page: Page): Promise<void> {
  const boxes = page.getByRole('checkbox', { name: /^Select / })
  await boxes.nth(0).check()
  await boxes.nth(1).check()
}

async function hoverCard(page: Page, width: number): Promise<void> {
  if (width < 640) return
  const card = page.locator('.dataset-card').nth(1)
  const box = await card.boundingBox()
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  if (box) await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 })
  await page.waitForTimeout(900)
  await page.emulateMedia({ reducedMotion: 'reduce' })
}

async function openRests(page: Page): Promise<void> {
  await page.locator('.tracks[data-loaded=true]').waitFor()
  await page.keyboard.press('h')
  await page.locator('.cut-effect[data-old=false]').waitFor()
}

async function cutRests(page: Page): Promise<void> {
  // The draft is kept on the server: who was here before has turned it on already.
  const rule = page.getByRole('switch', { name: 'Cut still frames' })
  if ((await rule.getAttribute('aria-checked')) !== 'true') await rule.click()
  // From the moment the rule is drawn until its answer comes, what was there before is dimmed.
  await page.getByRole('radiogroup', { name: 'Where still frames go' }).waitFor()
  await page.locator('.time-figures[aria-busy=false]').waitFor()
}

async function openFilters(page: Page, width: number): Promise<void> {
  if (width < 640) await page.getByRole('button', { name: /^Filter/ }).click()
}

async function selectRows(page: Page): Promise<void> {
  for (const row of [0, 1, 2]) await page.locator('.episode-row .checkbox').nth(row).click()
}

async function openImport(page: Page): Promise<void> {
  await page.getByRole('link', { name: /RoboNet/ }).click()
  await page.getByRole('tree').waitFor()
}

async function openDataset(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Open dataset' }).click()
  await page.getByRole('table', { name: 'Episodes' }).waitFor()
}

async function importAgain(page: Page): Promise<void> {
  await openImport(page)
  await page.getByRole('link', { name: 'Import again' }).click()
  await page.getByRole('dialog').waitFor()
}

async function openMe(page: Page, width: number): Promise<void> {
  if (width < 640) await page.getByRole('button', { name: 'Me' }).click()
}

async function selectStandouts(page: Page): Promise<void> {
  for (const row of [0, 1]) await page.locator('.selection-row .checkbox').nth(row).click()
}

async function openVersionMenu(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Commands for/ })
    .first()
    .click()
}

const scrollTo = (heading: string) => (page: Page) =>
  page.getByRole('heading', { name: heading }).evaluate((one: { scrollIntoView(): void }) => one.scrollIntoView())
const clickButton = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()
const startReview = async (page: Page) => {
  await page.getByRole('button', { name: /^All episodes/ }).click()
  await page.getByRole('textbox', { name: 'Name of the review' }).press('Enter')
  await page.getByRole('region', { name: 'Review' }).waitFor()
  await page.keyboard.press('x')
}
const pressKey = (key: string) => (page: Page) => page.keyboard.press(key)

/** A tab that is signed in by a bearer of the operator's command; its owner wants nothing to move. */
export async function openSignedIn(
  browser: Browser,
  url: string,
  bearer: string,
  width: number,
): Promise<{ page: Page; context: BrowserContext }> {
  const viewport = { width, height: width < 640 ? 844 : 800 }
  const context = await browser.newContext({
    baseURL: url,
    viewport,
    hasTouch: width < 640,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(patienceMs)
  const session = JSON.stringify({ accessToken: bearer, expiresAt: Date.now() + 3_600_000 })
  await context.addInitScript(`sessionStorage.setItem('nmp.session', ${JSON.stringify(session)})`)
  return { page: await context.newPage(), context }
}

const calmSeconds = 60

/** Until nothing loads any more: the live stream stays open, so the network is never idle. */
export async function waitForCalm(page: Page): Promise<void> {
  const isCalm = `(() => {
    if (document.querySelector('.late,[aria-label="Loading"]')) return false
    const pictures = [...document.images].filter((one) => one.getBoundingClientRect().top < innerHeight)
    return document.fonts.status === 'loaded' && pictures.every((one) => one.complete)
  })()`
  const end = Date.now() + calmSeconds * 1000
  for (let calm = 0; calm < 3; ) {
    if (Date.now() > end) throw new Error(`${page.url()} still loads after ${calmSeconds} s.`)
    await page.waitForTimeout(100)
    calm = (await page.evaluate<boolean>(isCalm)) ? calm + 1 : 0
  }
}

/** In a tab of `openSignedIn` no colour fades into another: what is looked at next is where they end. */
export const setTheme = (page: Page, theme: 'light' | 'dark'): Promise<void> =>
  page.evaluate<void>(
    `document.documentElement.dataset.theme = '${theme}'; window.dispatchEvent(new Event('nmp-theme'))`,
  )
