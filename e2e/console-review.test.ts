import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleRun, openConsole } from './console-run.ts'
import { cleanUp } from './program.ts'

/** Thirty episodes of an arm, of which three wait before they begin. */
const set = 'recorded-v3.0-can-motion'
const total = 30

describe('reviews in the console', { timeout: 600_000 }, () => {
  let run: ConsoleRun
  let page: Page
  let second: Page
  let datasetId: string

  beforeAll(async () => {
    run = await openConsole()
    datasetId = await run.bring(set, 'cans', 'Cans')
    page = await run.open()
    second = await run.open()
  }, 400_000)
  afterAll(async () => {
    await run?.close()
    await cleanUp()
  }, 120_000)

  const decided = (where: Page) => where.getByTestId('review-decided')
  const title = () => page.getByRole('heading', { level: 1 })
  const nowAt = (episode: number) => expect.poll(() => title().textContent()).toBe(`Episode ${episode}`)
  const readReview = async () => {
    const [listed] = (await run.client.curation.listReviews({ ...run.place, dataset_id: datasetId })).items
    return (await run.client.curation.getReview({ ...run.place, review_id: listed?.id ?? '' })).item
  }

  test('thirty episodes by keys alone, undone, resumed, followed live by another browser, and left out in the recipe', async () => {
    await page.goto(`/datasets/${datasetId}`)
    await page.getByRole('button', { name: 'Review', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name of the review' }).fill('First look')
    await page.keyboard.press('Enter')
    await nowAt(0)
    await decided(page).getByText('0', { exact: true }).waitFor()
    await page.keyboard.press('?')
    await page.getByText('leave it out, open the next').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

    // K keeps the episode here, and cuts nothing.
    await page.keyboard.press('k')
    await nowAt(1)
    expect(await page.getByTestId('gone-frames').count()).toBe(0)
    await page.keyboard.press('x')
    await nowAt(2)
    await page.keyboard.press('f')
    await nowAt(3)
    await decided(page).getByText('3', { exact: true }).waitFor()
    // The page counts at once, the server when it is told.
    await expect.poll(async () => (await readReview()).decided).toBe(3)

    // Back to the flagged one, whose flag goes with it; then it is kept.
    await page.keyboard.press('Control+z')
    await nowAt(2)
    await expect.poll(async () => (await readReview()).decided).toBe(2)
    expect((await run.client.curation.listFlags({ ...run.place, dataset_slug: 'cans' })).items).toEqual([])
    await decided(page).getByText('2', { exact: true }).waitFor()
    await page.keyboard.press('k')
    await nowAt(3)

    // Somebody else sees it move, without a reload.
    await second.goto(`/datasets/${datasetId}/reviews`)
    const row = second.getByRole('article', { name: 'First look' })
    await row.getByText(`3 of ${total} decided`).waitFor()
    for (let episode = 3; episode < 12; episode++) {
      await page.keyboard.press(episode % 4 === 0 ? 'x' : 'k')
      await nowAt(episode + 1)
    }
    await row.getByText(`12 of ${total} decided`).waitFor()

    // Resumed where one stopped, in the other browser.
    await row.getByRole('button', { name: 'Go on' }).click()
    await expect.poll(() => second.getByRole('heading', { level: 1 }).textContent()).toBe('Episode 12')
    await second.keyboard.press('x')
    await expect.poll(() => second.getByRole('heading', { level: 1 }).textContent()).toBe('Episode 13')
    await decided(page).getByText('13', { exact: true }).waitFor()

    // By keys alone: one for each episode, and no pointer.
    await page.evaluate(`globalThis.used = { keydown: 0, pointerdown: 0 }
      for (const kind in used) addEventListener(kind, () => used[kind]++, { capture: true })`)
    await page.keyboard.press('k')
    for (let episode = 13; episode < total - 1; episode++) {
      await nowAt(episode)
      await page.keyboard.press('k')
    }
    await nowAt(total - 1)
    expect(await page.evaluate('used')).toEqual({ keydown: total - 13, pointerdown: 0 })
    await page.keyboard.press('f')
    await decided(page).getByText(String(total), { exact: true }).waitFor()
    await expect.poll(async () => (await readReview()).decided).toBe(total)
    const { verdicts } = await readReview()
    const said = (verdict: string) =>
      verdicts.filter((one) => one.verdict === verdict).map(({ episode_index }) => episode_index)
    // The present browser pressed K on 12 after the other had left it out: the last word counts.
    expect([said('leave_out'), said('flag')]).toEqual([[1, 4, 8], [29]])
    const flags = (await run.client.curation.listFlags({ ...run.place, dataset_slug: 'cans' })).items
    expect(flags.map(({ episode_index }) => episode_index)).toEqual([29])

    await page.getByRole('button', { name: 'Leave these 3 out' }).click()
    await page.getByRole('button', { name: /^Create version/ }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Result' }).getAttribute('aria-busy')).toBe('false')
    const [answer] = await Promise.all([
      page.waitForResponse(
        (one) => one.request().method() === 'POST' && one.url().endsWith('/derived-dataset-versions'),
      ),
      page.keyboard.press('Control+Enter'),
    ])
    expect((await answer.json()).item.recipe.excluded_episode_indices).toEqual([1, 4, 8])
  })

  test('where there is no camera the lanes have most of the height', async () => {
    await page.goto(`/datasets/${datasetId}/episodes/1`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    await page.getByText('No camera in this dataset').waitFor()
    expect((await page.locator('.tracks').boundingBox())?.height).toBeGreaterThan(400)
  })

  test('what the checks found, and any other list, becomes a queue, given to a person who is told; a verdict without a network is not shown as said', async () => {
    const bearer = await run.addMember('eve@example.org', 'editor')
    await page.goto(`/datasets/${datasetId}/reviews`)
    const start = page.getByRole('region', { name: 'Start a review' })
    await start.getByRole('button', { name: `Without a label ${total}` }).waitFor()
    await start.getByRole('button', { name: 'Flagged 1' }).click()
    const people = page.getByRole('group', { name: 'Dealt between' })
    await people.getByText(/^eve/i).click()
    await people.getByText('(you)').click()
    await page.getByRole('textbox', { name: 'Name of the review' }).fill('For Eve')
    await page.keyboard.press('Enter')
    await nowAt(29)
    const theirs = await run.open(bearer)
    await theirs.goto('/inbox')
    await theirs.getByRole('button', { name: 'asks you to review 1 episode: For Eve' }).click()
    await expect.poll(() => theirs.getByRole('heading', { level: 1 }).textContent()).toBe('Episode 29')
    await decided(theirs).getByText('0', { exact: true }).waitFor()
    await theirs.context().close()
    await decided(page).getByText('0', { exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.keyboard.press('x')
    await page.getByRole('alert').getByText('not saved').waitFor()
    await decided(page).getByText('0', { exact: true }).waitFor()
    await page.context().setOffline(false)
  })
})
