import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { getChromium, launchBrowser } from './console-browser.ts'
import { openSignedIn, waitForCalm } from './console-pages.ts'
import { waitFor } from './processes.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

const place = { org_slug: 'admin', project_slug: 'default' }
const datasets = '/orgs/admin/projects/default/datasets'

describe('the datasets of a project', { timeout: 240_000 }, () => {
  let program: Program
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let bearer: string

  beforeAll(async () => {
    program = await startProgram()
    browser = await launchBrowser(getChromium())
    bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
    await importTwice()
    const opened = await openSignedIn(browser, program.url, bearer, 1280)
    page = opened.page
    context = opened.context
  }, 240_000)
  afterAll(async () => {
    await context?.close()
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  async function importTwice(): Promise<void> {
    const scopes = ['workspace:read', 'imports:write']
    const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'import', scopes } })
    const client = createClient({ baseUrl: program.url, token: body.token })
    const where = { orgSlug: 'admin', projectSlug: 'default' }
    const sent = await uploadPaths(client.transport, [getFixture('lerobot/recorded-v2.1')], where)
    for (const [slug, title] of [
      ['cups', 'Stack of cups'],
      ['towel', 'Folded towel'],
    ] as const) {
      const upload_ids = sent.map(({ id }) => id)
      const request = { source_kind: 'lerobot', dataset_slug: slug, title, upload_ids } as const
      const { item } = await client.imports.createImport({ ...place, body: request })
      const look = async () => (await client.imports.getImport({ ...place, job_id: item.id })).item
      await waitFor('the import to end', async () => (await look()).status === 'succeeded', 180)
    }
  }

  const readTags = async () => {
    const { body } = await program.call('GET', `/api/v1${datasets}`, { bearer })
    return body.items.map((item: { tags: string[] }) => item.tags)
  }
  const card = (name: string) => page.getByRole('link', { name })

  test('are cards with pictures that only people of the project see, found by a word and a filter', async () => {
    await page.goto(datasets)
    await card('Stack of cups').waitFor()
    await expect
      .poll(() =>
        card('Stack of cups')
          .locator('img')
          .first()
          .evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth),
      )
      .toBeGreaterThan(0)
    await page.getByLabel('Name, task, robot or tag').fill('tow')
    await expect.poll(() => card('Stack of cups').count()).toBe(0)
    await card('Folded towel').waitFor()
    await page.getByLabel('Name, task, robot or tag').fill('nothing like it')
    await page.getByText('No dataset matches').waitFor()
    await page.getByRole('button', { name: /^Drop/ }).click()
    await card('Stack of cups').waitFor()
    await page.getByRole('radio', { name: 'List' }).click()
    await page.getByRole('columnheader', { name: 'Seen by' }).waitFor()
    expect(page.url()).toContain('view=list')
    await page.getByRole('radio', { name: 'Grid' }).click()
  })

  test('a tag is given to several, and undone', async () => {
    await page.goto(datasets)
    const before = await readTags()
    await page.getByRole('checkbox', { name: 'Select Stack of cups' }).check()
    await page.getByRole('checkbox', { name: 'Select Folded towel' }).check()
    await page.getByRole('button', { name: 'Add a tag' }).click()
    await page.getByLabel('Tag', { exact: true }).fill('kitchen')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('2 datasets tagged kitchen').waitFor()
    for (const tags of await readTags()) expect(tags).toContain('kitchen')
    await page.getByRole('checkbox', { name: 'kitchen' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(readTags).toEqual(before)
  })

  test('several are deleted by typing how many, and can be had back', async () => {
    await page.goto(datasets)
    await page.getByRole('checkbox', { name: 'Select Stack of cups' }).check()
    await page.getByRole('checkbox', { name: 'Select Folded towel' }).check()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type delete 2/).fill('delete 2')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 datasets are being deleted').click()
    await page.getByText('No dataset in this project yet').waitFor()
    await page.getByRole('button', { name: 'Restore' }).first().click()
    await page.getByText('1 dataset is being deleted').waitFor()
    await page.getByRole('button', { name: 'Restore' }).first().click()
    await card('Stack of cups').waitFor()
    await card('Folded towel').waitFor()
  })

  test("the home page has one's own projects beside the public datasets", async () => {
    await page.goto('/')
    await waitForCalm(page)
    const project = page
      .getByRole('navigation', { name: 'Your projects' })
      .getByRole('link', { name: /admin \/ default/ })
    await project.click()
    await page.waitForURL(`**${datasets}`)
  })
})
