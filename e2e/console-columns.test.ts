import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleRun, openConsole } from './console-run.ts'
import { cleanUp } from './program.ts'

describe('columns in the console', { timeout: 300_000 }, () => {
  let run: ConsoleRun
  let page: Page
  let id = ''
  /** Large pictures of single frames of episode 2. */
  const asked: string[] = []

  beforeAll(async () => {
    run = await openConsole()
    id = await run.bring('recorded-v3.0-two-cameras', 'columns', 'Columns')
    page = await run.open()
    page.on('request', (request) => /poster\?episode=2&.*width=640/.test(request.url()) && asked.push(request.url()))
  }, 400_000)
  afterAll(async () => {
    await run?.close()
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
    const { item } = await run.client.catalog.getEpisodeRows({
      dataset_id: id,
      episode_index: 1,
      columns: 'next.reward',
    })
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
    const { item } = await run.client.catalog.getEpisodeRows({
      dataset_id: id,
      episode_index: 1,
      columns: 'next.reward',
    })
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
    const features = (await run.client.catalog.getFeatureStatistics({ dataset_id: id })).item.features
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

  test('rows show segments, and sort by seconds, task and flags; a track without anything in it takes no room', async () => {
    const where = { ...run.place, dataset_slug: 'columns' }
    const segments = [{ label: 'reach', start_frame: 5, end_frame: 20 }]
    await run.client.curation.createAnnotationSet({
      ...where,
      body: { name: 'Steps', episodes: [{ episode_index: 2, segments }] },
    })
    await run.client.curation.putFlags({ ...where, body: { items: [{ episode_index: 4, reason: 'shaky' }] } })
    const { items } = (await run.client.catalog.listEpisodes({ dataset_id: id })).item
    await page.goto(`/datasets/${id}`)
    const row = (at: number) => page.locator(`.episode-row[aria-rowindex="${at + 2}"]`)
    await row(2).getByTitle('reach').waitFor()
    expect(await page.locator('.episode-row').getByTitle('reach').count()).toBe(1)
    const sortBy = (name: string) =>
      page.getByRole('columnheader', { name, exact: true }).getByRole('button', { name, exact: true }).click()
    const expectFirst = (of: readonly { episode_index: number }[]) =>
      expect.poll(() => row(0).locator('.cell-number b').textContent()).toBe(`Episode ${of[0]?.episode_index}`)
    await sortBy('Seconds')
    await expectFirst(items.toSorted((a, b) => a.length_frames - b.length_frames))
    await sortBy('Flags')
    await page.locator('[aria-sort=ascending]').filter({ hasText: 'Flags' }).waitFor()
    await sortBy('Flags')
    await expectFirst([{ episode_index: 4 }])
    await sortBy('Task')
    await page.locator('[aria-sort=ascending]').filter({ hasText: 'Task' }).waitFor()
    const byTask = (await run.client.catalog.listEpisodes({ dataset_id: id, sort: 'task' })).item.items
    expect(byTask.map(({ tasks }) => tasks[0])).toEqual(items.map(({ tasks }) => tasks[0]).toSorted())
    await expectFirst(byTask)
    await page.goto(`/datasets/${id}/episodes/2`)
    await page.locator('.timeline-segments').getByRole('button', { name: 'reach' }).waitFor()
    await page.goto(`/datasets/${id}/episodes/1`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    expect(await page.locator('.timeline-segments').isVisible()).toBe(false)
    expect(await page.locator('.timeline-flags').isVisible()).toBe(false)
  })

  test('on a phone the player leads back, and no page but that of imports asks for all of them', async () => {
    const phone = await run.open()
    await phone.setViewportSize({ width: 390, height: 844 })
    const lists: string[] = []
    phone.on('request', (request) => /\/imports(\?|$)/.test(request.url()) && lists.push(request.url()))
    await phone.goto(`/datasets/${id}/episodes/1`)
    await phone.getByRole('link', { name: 'Back to Columns' }).click()
    await phone.getByRole('table', { name: 'Episodes' }).waitFor()
    await phone.goto('/')
    await expect.poll(() => lists.length).toBeGreaterThan(0)
    expect(lists.filter((url) => !/status=(running|queued)/.test(url))).toEqual([])
    await phone.context().close()
  })

  test('in Insights those that failed are a list of their own, and selected by one button', async () => {
    await page.goto(`/datasets/${id}/insights`)
    await page.getByRole('radio', { name: 'Failed 1' }).click()
    const listed = page.locator('.selection-list').getByRole('checkbox')
    await expect.poll(() => listed.count()).toBe(1)
    await page.getByRole('button', { name: 'Select the 1 that failed' }).click()
    await page.getByText('1 episode selected').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Select episode 3', exact: true }).isChecked()).toBe(true)
    await page.keyboard.press('Escape')
  })

  test('a viewer reads which columns are state and action, and cannot change them', async () => {
    const bearer = await run.addMember('vera@example.org', 'viewer')
    const { item } = await run.client.catalog.getCatalogDataset({ dataset_id: id })
    const theirs = await run.open(bearer)
    await theirs.goto(`/datasets/${id}/insights`)
    const roles = theirs.getByRole('region', { name: 'State and action' })
    await roles.getByText('They count for Insights').waitFor()
    expect(await roles.locator('code').allTextContents()).toEqual([item.observation.state?.key, item.action?.key])
    expect(await roles.getByRole('combobox').count()).toBe(0)
    await theirs.context().close()
  })

  test('an editor says which column is the state; the page waits for the numbers, and the lanes follow', async () => {
    await page.goto(`/datasets/${id}/insights`)
    const [state, action] = [0, 1].map((place) =>
      page.getByRole('region', { name: 'State and action' }).getByRole('combobox').nth(place),
    )
    await state?.selectOption('next.reward')
    await expect
      .poll(async () => (await run.client.catalog.getCatalogDataset({ dataset_id: id })).item.observation.state?.key, {
        timeout: 120_000,
      })
      .toBe('next.reward')
    await page.locator('.signal-roles[aria-busy=false]').getByText('They count for Insights').waitFor()
    expect(await state?.inputValue()).toBe('next.reward')
    expect(await action?.inputValue()).toBe('')
    await page.goto(`/datasets/${id}/episodes/1`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    await page.getByRole('button', { name: '8 of 8 dimensions' }).waitFor()
  })
})
