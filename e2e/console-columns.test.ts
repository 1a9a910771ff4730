import { type Client, createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { getChromium, launchBrowser } from './console-browser.ts'
import { openSignedIn } from './console-pages.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

describe('columns in the console', { timeout: 300_000 }, () => {
  let program: Program
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let client: Client
  let id = ''
  /** Large pictures of single frames of episode 2. */
  const asked: string[] = []

  beforeAll(async () => {
    program = await startProgram()
    const bearer = (await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')).trim()
    client = createClient({ baseUrl: program.url, token: bearer })
    const place = { org_slug: 'admin', project_slug: 'default' }
    const where = { orgSlug: place.org_slug, projectSlug: place.project_slug }
    const uploads = await uploadPaths(client.transport, [getFixture('lerobot/recorded-v3.0-two-cameras')], where)
    const upload_ids = uploads.map(({ id }) => id)
    const body = { source_kind: 'lerobot', dataset_slug: 'columns', title: 'Columns', upload_ids } as const
    id = (await client.imports.createAndWait({ ...place, body })).dataset_id ?? ''
    browser = await launchBrowser(getChromium())
    ;({ page, context } = await openSignedIn(browser, program.url, bearer, 1280))
    page.on('request', (request) => /poster\?episode=2&.*width=640/.test(request.url()) && asked.push(request.url()))
  }, 300_000)
  afterAll(async () => {
    await context?.close()
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  const lane = (name: string) => page.locator(`.lane[data-lane="${name}"]`)
  const toNumber = (text: string | null): number => Number(text?.replace('−', '-') || Number.NaN)
  const readRange = async (name: string): Promise<number[]> =>
    (await lane(name).locator('.lane-range em').allTextContents()).map(toNumber)
  const chooseInMenu = async (name: string) => {
    await page.getByRole('button', { name: /^Columns/ }).click()
    await page.getByRole('menuitemcheckbox', { name, exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }

  test('any column stands under the ruler with its own values, and does the next time', async () => {
    await page.goto(`/datasets/${id}/episodes/1?t=1`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    expect(await lane('next.reward').count()).toBe(0)
    await chooseInMenu('next.reward')
    const { item } = await client.catalog.getEpisodeRows({ dataset_id: id, episode_index: 1, columns: 'next.reward' })
    const reward = item.series[0]?.values[0] as number[]
    const shown = lane('next.reward').locator('[data-value=column]')
    await shown.scrollIntoViewIfNeeded()
    await expect
      .poll(async () => toNumber(await shown.textContent()), { timeout: 20_000 })
      .toBeCloseTo(reward[20] ?? Number.NaN, 2)
    await page.reload()
    await lane('next.reward').waitFor()
  })

  test('an axis spans what is shown, and the dataset where that is chosen', async () => {
    const { item } = await client.catalog.getEpisodeRows({ dataset_id: id, episode_index: 1, columns: 'next.reward' })
    const reward = item.series[0]?.values[0] as number[]
    const whole = [Math.max(...reward), Math.min(...reward)]
    await expect.poll(() => readRange('next.reward')).toEqual(whole.map((one) => expect.closeTo(one, 2)))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect
      .poll(async () => {
        const [high = 0, low = 0] = await readRange('next.reward')
        return high - low < (whole[0] as number) - (whole[1] as number)
      })
      .toBe(true)
    await chooseInMenu('The dataset')
    const features = (await client.catalog.getFeatureStatistics({ dataset_id: id })).item.features
    const known = features.find(({ name }) => name === 'next.reward')
    const ends = [known?.max?.[0] ?? Number.NaN, known?.min?.[0] ?? Number.NaN]
    await expect.poll(() => readRange('next.reward')).toEqual(ends.map((one) => expect.closeTo(one, 2)))
    await page.keyboard.press('0')
  })

  test('the next episode begins with the picture of its own first frame', async () => {
    await page.keyboard.press(']')
    await page.waitForURL('**/episodes/2*')
    await page.locator('.tracks[data-loaded=true]').waitFor()
    await expect.poll(() => page.getByTestId('frame').textContent()).toBe('0')
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    expect(asked.map((url) => new URL(url).searchParams.get('frame')).filter((frame) => frame !== '0')).toEqual([])
  })

  test('success is a column of the list; columns that are put away stay away', async () => {
    await page.goto(`/datasets/${id}`)
    const head = page.getByRole('columnheader')
    await head.filter({ hasText: 'Success' }).waitFor()
    await page.locator('.episode-row').nth(3).locator('.cell-success').getByText('failure').waitFor()
    await head.filter({ hasText: 'Variance' }).waitFor()
    await chooseInMenu('Variance')
    await head.filter({ hasText: 'Variance' }).waitFor({ state: 'detached' })
    await page.reload()
    await head.filter({ hasText: 'Success' }).waitFor()
    expect(await head.filter({ hasText: 'Variance' }).count()).toBe(0)
  })
})
