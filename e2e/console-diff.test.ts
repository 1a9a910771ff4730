import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditPage } from './console-audit.ts'
import { setTheme, waitForCalm } from './console-pages.ts'
import { type ConsoleRun, openConsole } from './console-run.ts'
import { cleanUp } from './program.ts'

/** Two cameras of six episodes, and a version of them: one gone, one cut, the others as they were under other numbers. */
describe('a diff and the lineage in the console', { timeout: 600_000 }, () => {
  let run: ConsoleRun
  let page: Page
  let datasetId: string
  let versionId: string

  beforeAll(async () => {
    run = await openConsole()
    datasetId = await run.bring('recorded-v3.0-two-cameras', 'filmed', 'Filmed')
    const made = await run.client.versions.createVersion({
      org_slug: run.place.org_slug,
      body: {
        slug: 'shorter',
        name: 'Shorter',
        project_slug: run.place.project_slug,
        source: { dataset_kind: 'catalog', dataset_id: datasetId },
        recipe: { excluded_episode_indices: [0], trim: { ranges: { 2: [[10, 30]] } } },
      },
    })
    versionId = made.item.id
    page = await run.open()
  }, 400_000)
  afterAll(async () => {
    await run?.close()
    await cleanUp()
  }, 120_000)

  test('a version is compared with its source: what was read first, each kind with its strips, and the other way round', async () => {
    await page.goto(`/datasets/${versionId}/derivation`)
    await page.getByRole('link', { name: 'Compare with…' }).click()
    // Its frames were cut, so its rows are read by a job; the page follows it.
    const kinds = page.getByRole('navigation', { name: 'What became of the episodes' })
    await kinds.getByRole('link', { name: 'Trimmed 1' }).waitFor()
    await kinds.getByRole('link', { name: 'Removed 1' }).waitFor()
    await kinds.getByRole('link', { name: 'Same 4' }).click()
    const episodes = page.getByRole('region', { name: 'Episodes' })
    const strips = episodes.getByRole('listitem')
    await expect.poll(() => strips.count()).toBe(4)
    await expect.poll(() => strips.first().textContent()).toMatch(/Episode 1 .*Episode 0 /)
    await expect.poll(() => strips.first().locator('img').count()).toBe(2)
    await kinds.getByRole('link', { name: 'Trimmed 1' }).click()
    await page.getByRole('img', { name: /^Frames 10 to 29 of \d+ are kept$/ }).waitFor()
    await page.getByText('trim.ranges.2').waitFor()
    expect(await audit('compare')).toEqual([])
    await page.getByRole('button', { name: 'Swap' }).click()
    await kinds.getByRole('link', { name: 'Added 1' }).waitFor()
    await kinds.getByRole('link', { name: 'Removed 0' }).waitFor()
  })

  test('the same with itself says so, and nothing chosen asks for it', async () => {
    await page.goto(`/orgs/${await orgOf()}/compare?from=${datasetId}&to=${datasetId}`)
    await page.getByText('They hold the same').waitFor()
    await page.goto(`/orgs/${await orgOf()}/compare`)
    await page.getByText('Choose two to compare').waitFor()
    await page.getByRole('combobox', { name: 'From' }).selectOption({ label: 'filmed, as shown' })
    await page.getByRole('combobox', { name: 'To' }).selectOption({ label: 'shorter, version 1' })
    await page.getByRole('link', { name: 'Trimmed 1' }).waitFor()
  })

  test('the lineage leads from the import to the version', async () => {
    await page.goto(`/datasets/${datasetId}`)
    await page.getByRole('link', { name: 'Lineage' }).click()
    const picture = page.getByRole('region', { name: 'Lineage' })
    await picture.getByText('Filmed, revision 1').waitFor()
    await expect.poll(() => picture.locator('svg .lineage-edge').count()).toBe(2)
    await picture.getByRole('link', { name: 'Shorter, version 1' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/datasets/${versionId}`)
  })

  test('a source is added as suggested, corrected at its lines, refused at them, and both are on the page of the version', async () => {
    const order = [2, 1, 3, 4, 5, 6].map((joint) => `joint_${joint}.pos`)
    await run.client.versions.createVersion({
      org_slug: run.place.org_slug,
      body: {
        ...{ slug: 'lab-b', name: 'Lab B', project_slug: run.place.project_slug },
        source: { dataset_kind: 'catalog', dataset_id: datasetId },
        recipe: {
          features: {
            rename: { 'observation.images.top': 'observation.images.overhead', action: 'command' },
            dimensions: { action: [...order, 'gripper.pos'] },
          },
        },
      },
    })
    await page.goto(`/datasets/${datasetId}/recipe?step=sources`)
    await page.getByText('This dataset is the only source').waitFor()
    await page.getByRole('button', { name: 'Add a source' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Lab B 1/ })
      .click()
    const map = page.getByRole('region', { name: 'Map of Lab B 1' })
    await map.getByText('observation.images.top says the same in other words', { exact: false }).waitFor()
    expect(await map.getByRole('combobox', { name: 'top, from their' }).inputValue()).toBe(
      'observation.images.overhead',
    )
    await expect.poll(() => map.getByRole('img', { name: /^(Ours|Theirs): (top|overhead) of / }).count()).toBe(2)
    await map.getByText('command says the same in other words', { exact: false }).waitFor()
    // Two joints are the other way round after all: the one that had the place takes the other's.
    const dimensions = map.getByRole('list', { name: 'Dimensions of action' })
    await dimensions.getByRole('combobox', { name: 'joint_1.pos, from their' }).selectOption('joint_2.pos')
    await expect
      .poll(() => dimensions.getByRole('combobox', { name: 'joint_2.pos, from their' }).inputValue())
      .toBe('joint_1.pos')
    await dimensions.getByText('Corrected').first().waitFor()
    await dimensions.getByRole('img', { name: /^joint_1\.pos: ours .*, theirs .*\d/ }).waitFor()
    const found = await audit('map')
    const [task = ''] = (await run.client.catalog.getCatalogDataset({ dataset_id: datasetId, limit: 1 })).item.tasks
    await map.getByRole('combobox', { name: `Becomes (${task})` }).fill('sort the cubes')
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByRole('list', { name: 'Tasks' }).getByText('sort the cubes').waitFor()

    // More episodes than it has are refused where they are asked for.
    await page.getByRole('radio', { name: 'Mixture' }).click()
    const sample = page.getByRole('spinbutton', { name: 'Episodes of Lab B 1' })
    await sample.fill('99')
    await page.getByRole('region', { name: 'Mixture' }).getByText('6 such episodes, fewer than 99').waitFor()
    expect(await page.getByRole('button', { name: /^Create version/ }).isDisabled()).toBe(true)
    await sample.fill('2')
    await page.getByRole('radio', { name: 'By source' }).click()
    await page.getByRole('spinbutton', { name: 'Weight of Lab B 1' }).fill('3')
    await result.getByText('75.0 %').waitFor()
    await page.getByText('Saved just now').waitFor()
    // The pane is another one in a narrow window, and begins at the first source there.
    found.push(...(await audit('mixture', () => page.getByRole('radio', { name: 'Mixture' }).click())))
    expect(found).toEqual([])

    // The draft on the server has it all: another visit shows the same.
    await page.reload()
    await map.getByText('Corrected').first().waitFor()
    await page.getByLabel('Short name of the version').fill('both')
    await page.getByRole('button', { name: /^Create version/ }).click()
    await page.getByRole('link', { name: 'Open version 1' }).click()
    await page.getByRole('link', { name: 'Recipe and export' }).click()
    const sources = page.getByRole('list', { name: 'Sources' })
    await sources.getByRole('link', { name: 'Filmed' }).waitFor()
    await sources.getByRole('link', { name: 'Lab B' }).waitFor()
    await sources.getByText('overhead is top').waitFor()
    await sources.getByText('joint_2.pos as joint_1.pos, joint_1.pos as joint_2.pos', { exact: false }).waitFor()
    await sources.getByText('weight 3, 75.0 % of what is drawn').waitFor()
    await sources.getByText('2 episodes drawn with the seed 0').waitFor()
  })

  test('a source of a version stays at its revision when the dataset has a newer one, until that is taken', async () => {
    const { item: made } = await run.client.versions.createVersion({
      org_slug: run.place.org_slug,
      body: {
        ...{ slug: 'twice', name: 'Twice', project_slug: run.place.project_slug },
        sources: [
          { dataset_kind: 'version', dataset_id: versionId },
          { dataset_kind: 'catalog', dataset_id: datasetId },
        ],
      },
    })
    await run.bring('recorded-v3.0-two-cameras', 'filmed', 'Filmed')
    await page.goto(`/datasets/${made.id}/derivation`)
    await page.getByRole('button', { name: 'Change the recipe' }).click()
    await page.waitForURL(`**/datasets/${versionId}/recipe*`)
    await page.goto(`/datasets/${versionId}/recipe?step=sources`)
    const map = page.getByRole('region', { name: 'Map of Filmed' })
    await map.getByText('stays at revision 1').waitFor()
    await map.getByRole('button', { name: 'Take revision 2' }).click()
    await map.getByText('stays at revision 1').waitFor({ state: 'detached' })
    await page.getByText('Saved just now').waitFor()
    const create = page.getByRole('button', { name: /^Create version/ })
    await expect.poll(() => create.isEnabled()).toBe(true)
    await expect.poll(() => page.getByRole('region', { name: 'Result' }).getAttribute('aria-busy')).toBe('false')
    const [answer] = await Promise.all([
      page.waitForResponse(
        (one) => one.request().method() === 'POST' && one.url().endsWith('/derived-dataset-versions'),
      ),
      create.click(),
    ])
    const { item } = await answer.json()
    expect(item.sources.map((one: { revision_number: number }) => one.revision_number)).toEqual([1, 2])
  })

  const audit = async (name: string, prepare?: () => Promise<void>): Promise<string[]> => {
    const found: string[] = []
    const { height } = page.viewportSize() ?? { height: 900 }
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height })
      await prepare?.()
      await waitForCalm(page)
      found.push(...(await auditPage(page, `${name} ${width}`)))
    }
    await setTheme(page, 'light')
    return found
  }

  const orgOf = async (): Promise<string> =>
    (await run.client.catalog.getCatalogDataset({ dataset_id: datasetId, limit: 1 })).item.org_slug
})
