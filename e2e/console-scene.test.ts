import { join } from 'node:path'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { type ConsoleRun, openConsole } from './console-run.ts'
import { checkout, cleanUp } from './program.ts'

const stateKey = 'observation.state'

describe('the robot in 3D, and previews of what is kept', { timeout: 600_000 }, () => {
  let run: ConsoleRun
  let page: Page
  let datasetId: string

  beforeAll(async () => {
    run = await openConsole()
    datasetId = await run.bring('recorded-v3.0-two-cameras', 'sort', 'Sort')
    page = await run.open()
  }, 400_000)
  afterAll(async () => {
    await run?.close()
    await cleanUp()
  }, 120_000)

  test('a URDF is uploaded, its joints follow the frame, and an editor corrects them', async () => {
    const scripts: string[] = []
    page.on('request', (request) => void scripts.push(request.url()))
    const isScene = (url: string) => /\/assets\/scene-panel-[^/]*\.js/.test(url)
    const rows = (
      await run.client.catalog.getEpisodeRows({
        dataset_id: datasetId,
        episode_index: 0,
        columns: stateKey,
        points: 4000,
      })
    ).item.series.find(({ name }) => name === stateKey)?.values as number[][]
    const angle = (joint: number, frame: number, unit: string) => `${rows[joint]?.[frame]?.toFixed(2)} ${unit}`
    const shown = (joint: string) => page.locator(`[data-joint="${joint}"]`)

    const named = 'https://arm.localhost/two-joints.urdf'
    const body = { robot_description_uri: named }
    await run.client.datasets.changeProjectDataset({ ...run.place, dataset_slug: 'sort', body })
    await page.goto(`/datasets/${datasetId}/episodes/0`)
    await page.getByTestId('frame').filter({ hasText: /^0$/ }).waitFor()
    await page.getByTestId('stage').waitFor()
    expect(scripts.filter(isScene)).toEqual([])
    await page.keyboard.press('v')
    const panel = page.getByRole('region', { name: '3D' })
    await panel.getByText('No model of xarm6 in the project.').waitFor()
    expect(scripts.filter(isScene)).toHaveLength(1)
    await panel.getByText(named).waitFor()
    await panel.getByRole('button', { name: 'Use the model this dataset names' }).click()
    await page.getByText('arm.localhost is an address inside a private network').waitFor()

    await panel.getByLabel('URDF or zip to upload').setInputFiles(join(checkout, 'e2e/two-joints.urdf'))
    await panel.getByText('Joints found by their names.').waitFor()
    await panel.getByText('1 mesh is not drawn').waitFor()
    const first = (await shown('joint1').textContent()) ?? ''
    const unit = first.split(' ').at(-1) ?? ''
    expect(first).toBe(angle(0, 0, unit))
    for (let step = 0; step < 12; step++) await page.keyboard.press('.')
    await shown('joint1')
      .filter({ hasText: angle(0, 12, unit) })
      .waitFor()
    await shown('joint2')
      .filter({ hasText: angle(1, 12, unit) })
      .waitFor()
    expect(angle(0, 12, unit)).not.toBe(first)

    await panel.getByRole('button', { name: 'Correct them' }).click()
    await panel.getByLabel('What turns joint1').selectOption({ label: 'joint_5.pos' })
    await panel.getByText('Joints set by an editor.').waitFor()
    await shown('joint1')
      .filter({ hasText: angle(4, 12, unit) })
      .waitFor()
    const other = unit === 'deg' ? 'rad' : 'deg'
    await panel.getByLabel('Unit of joint2').selectOption(other)
    await shown('joint2')
      .filter({ hasText: angle(1, 12, other) })
      .waitFor()

    await page.goto(`/datasets/${datasetId}/episodes/0`)
    await page.getByRole('button', { name: 'The robot in 3D' }).click()
    await shown('joint1')
      .filter({ hasText: angle(4, 0, unit) })
      .waitFor()
    await panel.getByLabel('Robot model').selectOption({ label: 'the one called as the robot' })
    await panel.getByText('Joints found by their names.').waitFor()
    await shown('joint1')
      .filter({ hasText: angle(0, 0, unit) })
      .waitFor()
    await panel.getByRole('button', { name: 'Close 3D' }).click()
    await expect.poll(() => panel.count()).toBe(0)
  })

  test('a depth camera is drawn in colours, and says how many millimetres lie under the pointer', async () => {
    const depthId = await run.bring('recorded-v3.0-depth', 'depth', 'Depth')
    await page.goto(`/datasets/${depthId}/episodes/1`)
    const sheet = page.getByRole('slider', { name: 'Distance in depth' })
    await sheet.locator('canvas[data-shown="0"]').waitFor()
    await page.getByRole('button', { name: /^600 mm\s*1\.47 m$/ }).waitFor()
    const box = (await sheet.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const distance = page.getByTestId('distance')
    // What was recorded, within the step of LeRobot's codes, which is below 2 mm here.
    const expectAt = async (x: number, y: number, frame: number) => {
      const recorded = 400 + x * 7 + y * 5 + frame * 11 + 200
      const read = async () => Number((await distance.textContent())?.replaceAll(/\D/g, ''))
      await expect.poll(async () => Math.abs((await read()) - recorded)).toBeLessThanOrEqual(1)
    }
    const point = (x: number, y: number) =>
      page.mouse.move(box.x + ((x + 0.5) / 80) * box.width, box.y + ((y + 0.5) / 64) * box.height)
    await point(20, 40)
    await expectAt(20, 40, 0)
    await page.keyboard.press('.')
    await sheet.locator('canvas[data-shown="1"]').waitFor()
    await expectAt(20, 40, 1)
    await point(60, 12)
    await expectAt(60, 12, 1)
    // By keys: one pixel, and ten.
    await sheet.focus()
    await page.keyboard.press('ArrowRight')
    await expectAt(61, 12, 1)
    await page.keyboard.press('Shift+ArrowDown')
    await expectAt(61, 22, 1)
    await page.getByTestId('frame').filter({ hasText: /^1$/ }).waitFor()
    await page.getByRole('button', { name: /^610 mm/ }).click()
    await page.getByRole('button', { name: /^10 mm\s*10\.00 m$/ }).waitFor()
  })

  test("the way of the hand is drawn and said where the state has its place; a zip brings the model's meshes", async () => {
    const id = await run.bring('recorded-v3.0-can-motion', 'cans', 'Cans')
    const { series } = (
      await run.client.catalog.getEpisodeRows({
        ...{ dataset_id: id, episode_index: 2 },
        ...{ columns: stateKey, points: 4000 },
      })
    ).item
    const values = series.find(({ name }) => name === stateKey)?.values as number[][]
    const placeAt = (frame: number) => [0, 1, 2].map((axis) => values[axis]?.[frame]?.toFixed(3)).join(', ')
    await page.goto(`/datasets/${id}/episodes/2`)
    await page.getByTestId('frame').filter({ hasText: /^0$/ }).waitFor()
    await page.getByRole('button', { name: 'The robot in 3D' }).click()
    const panel = page.getByRole('region', { name: '3D' })
    await panel.getByText('No model of panda in the project. The line is the way of its hand.').waitFor()
    await panel.getByText('way of state').waitFor()
    const place = panel.getByTestId('hand-place')
    await expect.poll(() => place.textContent()).toBe(placeAt(0))
    for (let step = 0; step < 12; step++) await page.keyboard.press('.')
    await expect.poll(() => place.textContent()).toBe(placeAt(12))
    expect(placeAt(12)).not.toBe(placeAt(0))

    // Its mesh is the one that the file alone does not have.
    await panel.getByLabel('URDF or zip to upload').setInputFiles(join(checkout, 'e2e/two-joints.zip'))
    await panel.locator('[data-joint=joint2]').getByText('stands still').waitFor()
    expect(await panel.getByText(/not drawn|cannot be shown/).count()).toBe(0)
    await expect.poll(() => place.textContent()).toBe(placeAt(12))
  })

  test('more dimensions than stand side by side are a list, and each is smoothed or left alone', async () => {
    const id = (await importFile('hdf5/act_sim_transfer_cube/episode_0.hdf5', 'two-arms')).dataset_id ?? ''
    const names = (await run.client.catalog.getCatalogDataset({ dataset_id: id })).item.action?.names ?? []
    expect(names.length).toBeGreaterThan(8)
    const last = names.at(-1) ?? ''
    await page.goto(`/datasets/${id}/recipe?step=action`)
    const shown = page.getByRole('region', { name: 'Action before and after' })
    const dimension = shown.getByRole('combobox', { name: 'Dimension' })
    await expect.poll(() => dimension.locator('option').allTextContents()).toEqual(names)
    await dimension.selectOption({ label: last })
    await shown
      .getByRole('img', { name: `Action ${last} of episode 0`, exact: true })
      .first()
      .waitFor()
    await page.getByRole('switch', { name: 'Action' }).click()
    const list = page.getByRole('group', { name: 'Smoothed dimensions' })
    await expect.poll(() => list.getByRole('checkbox').count()).toBe(names.length)
    const count = async () => Number(/^(\d+) of/.exec((await list.locator('p').first().textContent()) ?? '')?.[1])
    const before = await count()
    const box = list.getByRole('checkbox', { name: last, exact: true })
    const wasTicked = await box.isChecked()
    await box.click()
    await expect.poll(count).toBe(before + (wasTicked ? -1 : 1))
  })

  test('smoothing is shown where the arm shakes most, and a crop on an episode that is kept', async () => {
    const { item } = await run.client.catalog.getInsights({ dataset_id: datasetId, offset: 0, limit: 100 })
    // Two that are kept, neither of them the first of all, of which the second shakes more.
    const [shaky, calm] = item.most_variance
      .flatMap((one, place) => item.most_variance.slice(place + 1).map((other) => [one, other] as const))
      .find(([one, other]) => one > other && other > 0) ?? [0, 0]
    expect(shaky).toBeGreaterThan(0)
    const recipe = { selected_episode_indices: [calm, shaky] }
    await run.client.versions.putRecipeDraft({
      dataset_id: datasetId,
      body: { revision: 0, slug: 'two', name: 'Two', recipe },
    })
    await page.goto(`/datasets/${datasetId}/recipe?step=action`)
    const shown = page.getByRole('region', { name: 'Action before and after' })
    await shown.getByText(`Episode ${shaky}`, { exact: true }).waitFor()
    await page.goto(`/datasets/${datasetId}/recipe?step=crop`)
    await page.getByText(new RegExp(`^ep ${calm}, frame`)).waitFor()
    await page.getByRole('button', { name: 'Next episode' }).click()
    await page.getByText(new RegExp(`^ep ${shaky}, frame`)).waitFor()
  })

  test('the page of the API is dark where the console is, is searched by words, and leads back', async () => {
    await page.goto('/docs')
    const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await paper()
    await page.evaluate(`localStorage.setItem('nmp.theme', 'dark')`)
    await page.reload()
    expect(await paper()).not.toBe(light)
    await page.evaluate(`localStorage.removeItem('nmp.theme')`)
    const all = await page.locator('article:visible').count()
    await page.keyboard.press('/')
    await page.keyboard.type('robot model delete')
    await page.getByText(/^\d+ routes?$/).waitFor()
    const found = await page.locator('article:visible').count()
    expect([found > 0, found < all / 5]).toEqual([true, true])
    await page.locator('#deleteRobot').waitFor()
    await page.getByLabel('Search the routes').fill('nothing-is-called-so')
    await page.getByText('Nothing matches.').waitFor()
    await page.getByRole('link', { name: 'back to the console' }).click()
    await page.getByRole('heading', { name: 'Catalog' }).waitFor()
  })

  test('colours that were assumed are swapped by one press at the finding', async () => {
    const first = await importFile('hdf5/agilex_raw_bgr_episode1.hdf5', 'colours')
    await page.goto(`/orgs/${run.place.org_slug}/projects/${run.place.project_slug}/imports/${first.id}`)
    await page.getByText('Pixels are assumed to be BGR').waitFor()
    await page.getByRole('button', { name: 'Swap red and blue, import again' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(first.id))
    const again = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const read = async () => (await run.client.imports.getImport({ ...run.place, job_id: again })).item
    await expect.poll(async () => (await read()).status, { timeout: 120_000 }).toBe('succeeded')
    expect((await read()).retry_of).toBe(first.id)
    // What a person says is no longer assumed.
    const { findings } = (await run.client.imports.getImportReport({ ...run.place, job_id: again })).item
    expect(findings.filter(({ sentence }) => sentence.includes('assumed to be BGR'))).toEqual([])
  })

  async function importFile(fixture: string, dataset_slug: string) {
    const where = { orgSlug: run.place.org_slug, projectSlug: run.place.project_slug }
    const upload_ids = (await uploadPaths(run.client.transport, [getFixture(fixture)], where)).map(({ id }) => id)
    const body = { source_kind: 'hdf5', dataset_slug, title: dataset_slug, upload_ids } as const
    return run.client.imports.createAndWait({ ...run.place, body })
  }
})
