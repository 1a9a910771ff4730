import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleRun, openConsole } from './console-run.ts'
import { cleanUp } from './program.ts'

describe('drafts and exports in the console', { timeout: 600_000 }, () => {
  let run: ConsoleRun
  let page: Page
  let datasetId: string

  beforeAll(async () => {
    run = await openConsole()
    datasetId = await run.bring('recorded-v3.0-two-cameras', 'cubes', 'Cubes')
    page = await run.open()
  }, 400_000)
  afterAll(async () => {
    await run?.close()
    await cleanUp()
  }, 120_000)

  const saved = (where: Page) => where.getByRole('status').getByText('Saved just now')
  const exclude = async (where: Page, episode: number) => {
    await where.goto(`/datasets/${datasetId}/episodes/${episode}`)
    await where.locator('.tracks[data-loaded=true]').waitFor()
    await where.keyboard.press('x')
    await where.getByRole('status').getByText(`Episode ${episode} left out of the draft`).waitFor()
  }
  const readDraft = async () => (await run.client.versions.getRecipeDraft({ dataset_id: datasetId })).item

  test('a draft is at the server when the page says so, in every browser of the person, and waits where it cannot be sent', async () => {
    await exclude(page, 2)
    await page.goto(`/datasets/${datasetId}/recipe`)
    await saved(page).waitFor()
    expect((await readDraft())?.recipe.excluded_episode_indices).toEqual([2])

    // Another browser of the same person has it, and what it changes comes back here.
    const other = await run.open()
    await exclude(other, 4)
    await expect.poll(async () => (await readDraft())?.recipe.excluded_episode_indices).toEqual([2, 4])
    await page.goto(`/datasets/${datasetId}`)
    await page.getByText('2 left out of the draft').waitFor()

    // What cannot be sent is not called saved, outlives the tab, and is sent later.
    await page.goto(`/datasets/${datasetId}/recipe`)
    await saved(page).waitFor()
    await page.route('**/recipe-drafts/**', (route) => route.abort())
    await page.getByPlaceholder('Why you are making this version').fill('No pauses')
    await page.getByText('Not saved, kept in this browser').waitFor()
    expect((await readDraft())?.recipe.notes).toBeNull()
    await page.unroute('**/recipe-drafts/**')
    await page.reload()
    await saved(page).waitFor()
    expect((await readDraft())?.recipe.notes).toBe('No pauses')

    // What the server has though its answer was lost is nobody else's: what was written after it stays.
    const notes = page.getByPlaceholder('Why you are making this version')
    await page.route('**/recipe-drafts/**', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await notes.fill('No long pauses')
    await page.getByText('Not saved, kept in this browser').waitFor()
    expect((await readDraft())?.recipe.notes).toBe('No long pauses')
    await notes.fill('No pauses')
    await page.unroute('**/recipe-drafts/**')
    await expect.poll(async () => (await readDraft())?.recipe.notes).toBe('No pauses')
    await saved(page).waitFor()
    expect(await notes.inputValue()).toBe('No pauses')
  })

  test('its link shows it to somebody else with who and when; taken over, and undone', async () => {
    const draft = await readDraft()
    await run.program.mustAdmin('user', 'add', 'bo@example.org')
    const bo = await run.giveSession('bo@example.org')
    await run.client.datasets.changeProjectDataset({
      ...run.place,
      dataset_slug: 'cubes',
      body: { visibility: 'public' },
    })
    const theirs = await run.open(bo)
    await theirs.goto(`/datasets/${datasetId}/recipe?draft=${draft?.id}`)
    const shared = theirs.getByRole('region', { name: /^Draft of / })
    await shared.getByText('last changed').waitFor()
    await shared.getByText('2 and 4').or(shared.getByText('2, 4')).first().waitFor()
    await shared.getByRole('button', { name: 'Take it over' }).click()
    await saved(theirs).waitFor()
    expect(await theirs.getByPlaceholder('Why you are making this version').inputValue()).toBe('No pauses')
    await theirs.keyboard.press('Control+z')
    await expect.poll(() => theirs.getByPlaceholder('Why you are making this version').inputValue()).toBe('')
    // The one who shared it still has it.
    expect((await readDraft())?.recipe.excluded_episode_indices).toEqual([2, 4])
  })

  test('every form of an export with who reads it and what is lost; options by their schema; the report on the export', async () => {
    const made = await run.client.versions.createVersion({
      org_slug: run.place.org_slug,
      body: {
        slug: 'cubes-short',
        name: 'Short',
        source: { dataset_kind: 'project', dataset_id: datasetId },
        recipe: { selected_episode_indices: [0, 1] },
      },
    })
    const { items } = await run.client.versions.listExportTargets({
      org_slug: run.place.org_slug,
      version_id: made.item.id,
    })
    await page.goto(`/datasets/${made.item.id}/derivation`)
    await page.getByRole('button', { name: 'Export for another trainer' }).click()
    const dialog = page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Export' })
    for (const { title, readers } of items) {
      await dialog.getByRole('checkbox', { name: title }).first().waitFor()
      await dialog.getByText(readers).waitFor()
    }
    expect(await button.isDisabled()).toBe(true)
    const getTarget = (wanted: string) => {
      const found = items.find(({ key }) => key === wanted)
      if (!found) throw new Error(`no form ${wanted}`)
      return found
    }
    const [stats, zarr, rlds] = [getTarget('openpi-norm-stats'), getTarget('zarr'), getTarget('rlds')]
    for (const { readers } of [stats, zarr, rlds]) await dialog.getByText(readers).click()
    const part = (title: string) => dialog.getByRole('group', { name: title, exact: true })
    for (const { feature } of stats.losses)
      await part(stats.title).getByText(feature, { exact: true }).first().waitFor()
    // One that was chosen by mistake is no part of the request.
    await dialog.getByText(rlds.readers).click()
    await part(rlds.title).waitFor({ state: 'detached' })
    const horizon = part(stats.title).getByRole('textbox', { name: 'horizon' })
    await horizon.fill('0')
    await dialog.getByText(/^A whole number from/).waitFor()
    expect(await button.isDisabled()).toBe(true)
    await horizon.fill('10')
    await part(zarr.title).getByRole('combobox', { name: 'container' }).selectOption('folder')
    // The sum goes by the options: a folder has a file for every chunk.
    const wished = { zarr: { container: 'folder' }, 'openpi-norm-stats': { horizon: 10 } }
    const asked = await run.client.versions.listExportTargets({
      ...{ org_slug: run.place.org_slug, version_id: made.item.id },
      options: JSON.stringify(wished),
    })
    const files = asked.items.filter(({ key }) => key in wished).reduce((sum, one) => sum + one.estimated_files, 0)
    const sum = new RegExp(`^2 forms, about .* in ${files.toLocaleString('en')} files`)
    await dialog.getByRole('status').filter({ hasText: sum }).waitFor()
    await button.click()
    for (const { title } of [stats, zarr])
      await page
        .getByRole('article', { name: title })
        .getByRole('button', { name: /^Download/ })
        .waitFor()
    const jobs = await run.client.exports.listExportJobs({ org_slug: run.place.org_slug, version_id: made.item.id })
    expect(Object.fromEntries(jobs.items.map(({ artifact_key, options }) => [artifact_key, options]))).toEqual({
      lerobot: {},
      ...wished,
    })
    const job = jobs.items.find(({ artifact_key }) => artifact_key === 'openpi-norm-stats')
    const form = page.getByRole('article', { name: stats.title })
    for (const { feature } of job?.report?.losses ?? [])
      await form.getByText(feature, { exact: true }).first().waitFor()
    expect(job?.report?.losses.length).toBeGreaterThan(0)
  })
})
