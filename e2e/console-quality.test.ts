import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditAll } from './console-audit.ts'
import { getChromium, launchBrowser, openPage } from './console-browser.ts'
import { openSignedIn, waitForCalm } from './console-pages.ts'
import { type Seeded, seedConsole } from './console-seed.ts'
import { checkout, cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const episodeCount = 10_000

describe('the console with the data of a lab', { timeout: 600_000 }, () => {
  let program: Program
  let browser: Browser
  let bearer = ''
  let many = ''
  let seeded: Seeded

  beforeAll(async () => {
    program = await startProgram()
    browser = await launchBrowser(getChromium())
    bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
    many = await importMany(program.url, bearer)
    seeded = await seedConsole(program.url, bearer, ['two-cameras', 'robonet-sawyer'])
  }, 600_000)
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  const open = async (path: string, width = 1280): Promise<Page> => {
    const { page } = await openSignedIn(browser, program.url, bearer, width)
    await page.goto(path)
    return page
  }

  test('the first load of the catalog brings less than 200 kB of script', async () => {
    const page = await open('/')
    await waitForCalm(page)
    const scripts = await page.evaluate<{ name: string; encodedBodySize: number; decodedBodySize: number }[]>(
      `performance.getEntriesByType('resource').filter((one) => /\\.js($|\\?)/.test(one.name)).map((one) => one.toJSON())`,
    )
    expect(scripts.length).toBeGreaterThan(0)
    const sum = (read: (one: (typeof scripts)[number]) => number) => scripts.reduce((all, one) => all + read(one), 0)
    expect(sum((one) => one.encodedBodySize)).toBeLessThan(200_000)
    expect(sum((one) => one.encodedBodySize)).toBeLessThan(sum((one) => one.decodedBodySize) / 2)
    await page.context().close()
  })

  test('a dataset whose link was pointed at opens with no request at all', async () => {
    const page = await open('/')
    const card = page.getByRole('link', { name: /Ten thousand bolts/ })
    await card.waitFor()
    const answers = ['/insights', '/filtering', '/feature-statistics', `/datasets/${many}?`].map((part) =>
      page.waitForEvent('requestfinished', (request) => request.url().includes(part)),
    )
    const untilQuiet = watchRequests(page)
    await card.hover()
    await Promise.all(answers)
    await untilQuiet()
    await page.context().setOffline(true)
    await card.click()
    await page.getByRole('heading', { name: 'Ten thousand bolts' }).waitFor()
    await page.locator('.episode-row .cell-number b').first().waitFor()
    // The player's scripts cannot come now, and the page that is read stays all the same.
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/player-page'))
    await page.locator('.episode-row .cell-number').first().hover()
    await refused
    await page.getByRole('heading', { name: 'Ten thousand bolts' }).waitFor()
    await page.context().close()
  })

  test('ten thousand episodes scroll without a blank row, in every order', async () => {
    const page = await open(`/datasets/${many}`)
    // What a row is drawn from is here once its motion is.
    await page.locator('.episode-row .cell-motion').first().filter({ hasText: /\d/ }).waitFor()
    for (const sort of ['#', 'Length', 'Variance']) {
      await page.getByRole('columnheader', { name: sort, exact: false }).getByRole('button').click()
      // The list of the new order begins at its top: only then is it scrolled.
      await page.locator('[aria-sort=ascending],[aria-sort=descending]').filter({ hasText: sort }).waitFor()
      await page.locator('.episode-row .cell-number b').first().waitFor()
      const seen = await page.evaluate<{ rows: number; blank: number; last: string }>(scrollAll)
      expect(seen, sort).toMatchObject({ blank: 0 })
      expect(seen.rows).toBeGreaterThan(1500)
    }
    await page.keyboard.press('End')
    await expect.poll(() => page.locator('.episode-row[data-current=true]').getAttribute('aria-rowindex')).toBe('10001')
    await page.context().close()
  })

  test('a version in the catalog: published when asked, seen by everybody, withdrawn', async () => {
    const version = seeded.versionId
    const title = 'Without flags'
    const page = await open(`/datasets/${version}/derivation`)
    const { page: stranger, context, faults } = await openPage(browser, { url: program.url })
    const card = stranger.getByRole('link', { name: title })
    await stranger.goto('/')
    await stranger.getByRole('heading', { name: 'Catalog' }).waitFor()
    await page.getByRole('button', { name: 'Publish in the catalog' }).click()
    const dialog = page.getByRole('dialog', { name: `Publish ${title}?` })
    await dialog.getByText(/Its recipe and the names of its sources become visible too/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await stranger.reload()
    await stranger.getByRole('heading', { name: 'Catalog' }).waitFor()
    expect(await card.count()).toBe(0)
    await page.getByRole('button', { name: 'Publish in the catalog' }).click()
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Published in the catalog').waitFor()
    await page.getByText('Everyone: it is in the catalog').waitFor()
    await stranger.reload()
    await card.first().click()
    await stranger.waitForURL(`**/datasets/${version}`)
    await stranger.getByRole('link', { name: /^Episode 0/ }).waitFor()
    await stranger.getByRole('link', { name: 'Recipe', exact: true }).click()
    await stranger.locator('dd').getByText('episode 1', { exact: true }).waitFor()
    expect(await stranger.getByRole('button', { name: /Make private|Copy as a dataset|Delete/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Make private' }).click()
    await page.getByText('Private again; links to its media no longer work').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Everyone: it is in the catalog').waitFor()
    await page.getByRole('button', { name: 'Make private' }).click()
    await page.getByText('Private again; links to its media no longer work').waitFor()
    expect(faults).toEqual([])
    await stranger.goto('/')
    await stranger.getByRole('heading', { name: 'Catalog' }).waitFor()
    await expect.poll(() => card.count()).toBe(0)
    await stranger.goto(`/datasets/${version}`)
    await stranger.getByText('There is nothing at this address').waitFor()
    await context.close()
    await page.context().close()
  })

  test('a version copied as a dataset: the short name is checked, the import is followed, the dataset opens', async () => {
    const page = await open(`/orgs/${seeded.org}/projects/${seeded.project}/versions`)
    const slug = `${seeded.slug}-clean`
    const row = page.getByRole('row', { name: `${slug} 1` })
    await row.getByRole('button', { name: /^Commands for/ }).click()
    await page.getByRole('menuitem', { name: 'Copy as a dataset' }).click()
    const dialog = page.getByRole('dialog', { name: /^Copy .* as a dataset$/ })
    const name = dialog.getByLabel(/^Short name/)
    const start = dialog.getByRole('button', { name: 'Start copying' })
    expect(await name.inputValue()).toBe(`${slug}-copy`)
    await name.fill('Not a name')
    await dialog.getByText('Lower-case letters, digits and single hyphens.').waitFor()
    expect(await start.isDisabled()).toBe(true)
    // The version's own short name is the version's.
    await name.fill(slug)
    await start.click()
    await dialog
      .getByRole('alert')
      .getByText(/derived version/)
      .waitFor()
    await name.fill('copied')
    await dialog.getByLabel('Title').fill('Copied by hand')
    await start.click()
    await page.waitForURL('**/imports/imp_*')
    await page.getByRole('heading', { name: 'Copied by hand' }).waitFor()
    await page
      .getByRole('link', { name: `Copy of ${slug} 1` })
      .first()
      .waitFor()
    await page.getByTestId('import-status').filter({ hasText: 'Imported' }).waitFor({ timeout: 400_000 })
    await page.getByRole('link', { name: 'Open dataset' }).click()
    await page.getByRole('heading', { name: 'Copied by hand', level: 1 }).waitFor()
    await expect.poll(() => page.locator('.episode-row').count()).toBe(5)
    await page.locator('.episode-row').first().click()
    await expect.poll(() => page.locator('.camera.main video').getAttribute('data-shown')).toBe('0')
    await page.context().close()
  })

  test('a flag that could not be taken away is shown again', async () => {
    const page = await open(`/datasets/${seeded.dataset}/flags`)
    const refusal = { detail: 'Somebody else is changing them.', code: 'conflict', request_id: 'none' }
    await page.route('**/flags/delete', (route) => route.fulfill({ status: 409, json: refusal }))
    const flag = page.getByRole('button', { name: 'Remove the flag of episode 1' })
    await flag.click()
    await page.getByRole('alert').getByText(refusal.detail).waitFor()
    await flag.waitFor()
    await page.context().close()
  })

  test('splits and what the recording calls a success: marked in the list, chosen above it, counted, and all of one selected', async () => {
    const page = await open(`/datasets/${seeded.dataset}`)
    const rows = page.locator('.episode-row')
    await expect.poll(() => rows.count()).toBe(6)
    await rows.nth(0).getByTitle('In the split train').waitFor()
    await page.getByRole('combobox', { name: 'Split' }).selectOption({ label: 'val, 2' })
    await page.waitForURL('**?split=val')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.getByRole('link', { name: /^Episode / }).allTextContents()).toEqual(['Episode 4', 'Episode 5'])
    await rows.nth(1).getByTitle('In the split val').waitFor()
    await page.getByRole('checkbox', { name: 'Select all that are listed' }).click()
    await page.getByText('2 episodes selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Split' }).selectOption({ label: 'Every split' })
    await expect.poll(() => rows.count()).toBe(6)
    await page.getByRole('radio', { name: 'Succeeded 5' }).waitFor()
    await page.getByRole('radio', { name: 'Failed 1' }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await rows.getByTitle('The recording says so (next.success)').waitFor()
    await rows.first().click()
    await page.waitForURL('**/episodes/3')
    await page.locator('.subbar').getByText('failure', { exact: true }).waitFor()
    await page.context().close()
  })

  test('robot and work: what is written stays after a reload, and can be given back to the files', async () => {
    const page = await open(`/datasets/${seeded.dataset}/manage`)
    const type = page.getByLabel('Robot type')
    const before = await type.inputValue()
    const written = {
      'Robot type': 'xarm7',
      Embodiment: 'one arm with a gripper',
      'Work (environment, benchmark or family of tasks)': 'sorting',
      'Task, in words': 'Put the block into the bin',
      'Robot description (URDF), an address or path': 'https://example.org/xarm7.urdf',
    }
    const save = page.getByRole('button', { name: 'Save robot and work' })
    expect(await save.isDisabled()).toBe(true)
    for (const [label, text] of Object.entries(written)) await page.getByLabel(label).fill(text)
    await save.click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.reload()
    for (const [label, text] of Object.entries(written))
      await expect.poll(() => page.getByLabel(label).inputValue()).toBe(text)
    expect(await page.getByText('set here', { exact: true }).count()).toBe(5)
    await page.getByRole('button', { name: 'As the files say' }).click()
    await expect.poll(() => type.inputValue()).toBe(before)
    await expect.poll(() => page.getByText('set here', { exact: true }).count()).toBe(0)
    await page.context().close()
  })

  test('an import that lost a camera says so in the list, on its page, in the inbox, and on the dataset until that is dismissed', async () => {
    const page = await open(`/orgs/${seeded.org}/projects/${seeded.project}/imports`)
    const said = 'Imported, 1 camera, feature or file dropped'
    const item = page.locator(`[data-job=${seeded.lossyImportId}]`)
    await item.getByText(said).waitFor()
    expect(await item.textContent()).toContain('observation.images.wrist')
    await item.getByRole('link').first().click()
    await page.getByTestId('import-status').filter({ hasText: said }).waitFor()
    const loss = page.locator('.findings li').filter({ has: page.locator('[data-kind=loss]') })
    await loss.getByText('Camera without video').waitFor()
    await page.getByRole('link', { name: 'Open dataset' }).click()
    const mark = page.getByRole('link', { name: '1 camera, feature or file dropped' })
    await mark.waitFor()
    await page.reload()
    await mark.waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Dismissed; the import keeps its report').waitFor()
    await mark.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('table', { name: 'Episodes' }).waitFor()
    expect(await mark.count()).toBe(0)
    // In the inbox it is no failure, either.
    await page.goto('/inbox')
    const told = page.locator('.inbox li[data-severity=warning]').filter({ hasText: said }).first()
    await told.locator('.text-loss').waitFor()
    expect(await told.textContent()).toContain('observation.images.wrist')
    // A failed one is dismissed, and taken back.
    await page.goto(`/orgs/${seeded.org}/projects/${seeded.project}/imports/${seeded.failedImportId}`)
    const state = page.getByTestId('import-status')
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await state.filter({ hasText: 'Failed, dismissed' }).waitFor()
    await page.getByRole('button', { name: 'Take the dismissal back' }).click()
    await state.filter({ hasText: /^Failed$/ }).waitFor()
    await page.context().close()
  })

  test('no page, menu or dialog has a fault that axe finds, at 1280 and 390, light and dark, and none jumps while it loads', async () => {
    const found: string[] = []
    for (const width of [1280, 390]) found.push(...(await auditAll(browser, program.url, bearer, seeded, width)))
    expect(found).toEqual([])
  }, 900_000)
})

/** Begins to count the requests under way; what it answers waits until there is none but the live stream, three times in a row. */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  const remove = (request: Request) => open.delete(request)
  page.on('request', (request) => !request.url().includes('/events') && open.add(request))
  page.on('requestfinished', remove)
  page.on('requestfailed', remove)
  return async () => {
    for (let quiet = 0; quiet < 3; quiet = open.size === 0 ? quiet + 1 : 0) await page.waitForTimeout(100)
  }
}

async function importMany(url: string, bearer: string): Promise<string> {
  const folder = await makeFolder()
  const entry = join(checkout, 'formats', 'test', 'many-episodes-entry.ts')
  await promisify(execFile)(process.execPath, [entry, join(folder, 'many'), String(episodeCount)])
  const client = createClient({ baseUrl: url, token: bearer })
  const place = { org_slug: 'admin', project_slug: 'default' }
  const uploads = await uploadPaths(client.transport, [join(folder, 'many')], {
    orgSlug: place.org_slug,
    projectSlug: place.project_slug,
  })
  const job = await client.imports.createAndWait({
    ...place,
    body: {
      source_kind: 'lerobot',
      dataset_slug: 'many',
      title: 'Ten thousand bolts',
      upload_ids: uploads.map(({ id }) => id),
    },
  })
  await client.datasets.changeProjectDataset({ ...place, dataset_slug: 'many', body: { visibility: 'public' } })
  return job.dataset_id ?? ''
}

/**
 * In the page: 500 pixels a frame, faster than a hand. What is looked at is what this frame will paint, before any event
 * tells the list that it was scrolled: each place of the view must hold a row with its number and its length.
 */
const scrollAll = `new Promise((resolve) => {
  const list = document.querySelector('.episodes-scroll')
  list.scrollTop = 0
  const seen = { rows: 0, blank: 0, last: '' }
  let frame = 0
  const step = () => {
    const limit = frame < 120 ? list.scrollTop + 500 : list.scrollTop - 500
    list.scrollTop = limit
    const box = list.getBoundingClientRect()
    for (let y = box.top + 60; y < box.bottom - 4; y += 46) {
      const row = document.elementFromPoint(box.left + box.width / 2, y)?.closest('.episode-row')
      const number = row?.querySelector('.cell-number b')?.textContent ?? ''
      const length = row?.querySelector('.cell-seconds')?.textContent ?? ''
      seen.rows++
      if (!/\\d/.test(number) || !/\\d/.test(length)) seen.blank++
      else seen.last = number
    }
    if (++frame < 160) requestAnimationFrame(step)
    else resolve(seen)
  }
  setTimeout(() => requestAnimationFrame(step), 500)
})`
