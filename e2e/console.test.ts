import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { getChromium, launchBrowser, openPage, signIn, type WatchedPage } from './console-browser.ts'
import { apiGet, dragBy, expectFirstFrame, expectSameFrame, importBy, readTarFile } from './console-checks.ts'
import { openSignedIn } from './console-pages.ts'
import { expectedState, importLongRecording } from './long-recording.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const hdf5 = getFixture('hdf5/robonet_mp4.hdf5')
const manyGroups = getFixture('hdf5/robomimic_40demos.hdf5')
const longMs = 400_000

describe('the console in a real browser', { timeout: 600_000 }, () => {
  let program: Program
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  let demo = ''

  beforeAll(async () => {
    program = await startProgram({ env: { NMP_CHANNEL: 'dev', NMP_DEMO: '1' } })
    browser = await launchBrowser(getChromium())
    watched = await openPage(browser, { url: program.url })
    page = watched.page
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  const openUpload = async () => {
    await page.goto('/')
    await page
      .getByRole('link', { name: /^Imports/ })
      .first()
      .click()
    await page
      .getByRole('button', { name: /New import/ })
      .first()
      .click()
    await page.getByRole('radio', { name: 'Upload' }).click()
  }

  test('signing in, and the demo as it is imported', async () => {
    await page.goto('/')
    await page.getByRole('heading', { name: 'Catalog' }).waitFor()
    await signIn(page, program.output())
    expect(page.url()).toBe(`${program.url}/`)
    const notice = page.getByRole('complementary', { name: 'Password' })
    await notice.getByRole('link', { name: 'Set a password' }).waitFor()
    await notice.getByRole('button', { name: 'Not now' }).click()
    expect(await page.getByText('dev channel').isVisible()).toBe(true)
    await page
      .getByRole('link', { name: /^Imports/ })
      .first()
      .click()
    const job = page.locator('[data-job]').first()
    await job.waitFor({ timeout: longMs })
    await page.locator('[data-job][data-status=succeeded]').first().waitFor({ timeout: longMs })
    await job.getByRole('link').first().click()
    await page.getByText('What was found').waitFor()
    await page.getByRole('link', { name: 'Open dataset' }).click()
    await page.getByRole('table', { name: 'Episodes' }).waitFor()
    demo = /\/datasets\/(ds_\w+)/.exec(page.url())?.[1] ?? ''
    expect(demo).not.toBe('')
  })

  test('an HDF5 file by upload: progress, report, tree', async () => {
    await openUpload()
    await page.getByLabel('Files to upload').setInputFiles(hdf5)
    await page.getByText('Uploaded').waitFor({ timeout: longMs })
    await page.getByLabel('Title').fill('RoboNet by hand')
    await importBy(page, 'Start import')
    await page.getByText(/1 episode, \d+ frames/).waitFor()
    const qpos = page.getByRole('treeitem', { name: /qpos/ })
    await qpos.click()
    expect(await qpos.textContent()).toContain('float64')
    await page.getByRole('link', { name: 'Import again' }).click()
    await page.getByText(/The files of the import before, \d/).waitFor()
    await page.getByLabel('Frames per second').fill('13')
    await importBy(page, 'Import the same files')
    await page.getByText('13 frames per second').waitFor()
  })

  test('the tree of an HDF5 file is whole when its import has ended', async () => {
    await openUpload()
    await page.getByLabel('Files to upload').setInputFiles([manyGroups, hdf5])
    await page.getByRole('button', { name: /^Leave robonet.* out$/ }).click()
    await page.getByText('Uploaded').waitFor({ timeout: longMs })
    await importBy(page, 'Start import')
    await page.getByRole('heading', { name: 'robomimic_40demos' }).waitFor()
    const groups = page.getByRole('treeitem', { name: /demo_\d+/ })
    await expect.poll(() => groups.count()).toBe(40)
    expect(await page.getByText(/only the first entries/).count()).toBe(0)
  })

  test('an upload cut by a reload goes on where it stopped', async () => {
    const file = join(await makeFolder(), 'run_0042.hdf5')
    await writeFile(file, Buffer.alloc(20 * 2 ** 20, 7))
    const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '10')
    // A tab of its own: requests that are broken off are errors on its console.
    const { page: tab, context } = await openSignedIn(browser, program.url, bearer, 1280)
    const offsets: number[] = []
    let cuts = 0
    let isCut = true
    await tab.route('**/api/v1/uploads/*', (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      const offset = Number(route.request().headers()['upload-offset'])
      if (isCut && offset > 0) {
        cuts++
        return route.abort()
      }
      offsets.push(offset)
      return route.continue()
    })
    const { user } = (await program.call('GET', '/api/v1/users/me', { bearer })).body
    const [{ org_slug: org, project_slug: project }] = user.projects
    await tab.goto(`/orgs/${org}/projects/${project}/imports?new=upload`)
    await tab.getByLabel('Files to upload').setInputFiles(file)
    await expect.poll(() => cuts, { timeout: longMs }).toBeGreaterThan(0)
    isCut = false
    await tab.reload()
    await tab.getByText(/of an earlier upload waits/).waitFor()
    await tab.getByLabel('Files to upload').setInputFiles(file)
    await tab.getByText('Uploaded').waitFor({ timeout: longMs })
    expect(offsets.filter((offset) => offset === 0)).toHaveLength(1)
    await context.close()
  })

  test('an episode: the frame shown is the frame of the chart', async () => {
    await page.goto(`/datasets/${demo}/episodes/1`)
    const video = page.locator('.camera.main video')
    await expect.poll(() => video.getAttribute('data-shown'), { timeout: longMs }).toBe('0')
    // Seeks, single steps and a stop after playing must all end on the picture of the frame that the readout names.
    await page.keyboard.press('ArrowRight')
    for (let n = 0; n < 3; n++) await page.keyboard.press('.')
    await expectSameFrame(page, demo)
    const readFrame = async () => Number(await page.getByTestId('frame').textContent())
    await page.keyboard.press('Space')
    await expect.poll(readFrame).toBeGreaterThan(20)
    await page.keyboard.press('Space')
    await expectSameFrame(page, demo)
    const frame = await readFrame()
    const share = await page.evaluate<number>(`(() => {
      const over = document.querySelector('.timeline-over').getBoundingClientRect()
      return (document.querySelector('.playhead').getBoundingClientRect().left - over.left) / over.width
    })()`)
    const last = Number(/\/ (\d+)$/.exec((await page.locator('.timecode').textContent()) ?? '')?.[1])
    expect(share).toBeCloseTo(frame / last, 2)
    await page.keyboard.press('End')
    await expect.poll(readFrame).toBe(last)
    await page.keyboard.press('Space')
    // Played from its end it begins anew; it never shows the neighbour in the same file.
    await expect.poll(async () => Number(await video.getAttribute('data-shown'))).toBeLessThan(last)
    await page.keyboard.press('Space')
    await expectSameFrame(page, demo)
  })

  test('episodes of one file: each begins with its own frame, and the next one comes without a new page', async () => {
    await page.goto(`/datasets/${demo}/episodes/1`)
    await page.evaluate(`window.isSamePage = true`)
    const lengths = await apiGet(page, `/api/v1/catalog/datasets/${demo}/episodes?limit=5`)
    const { items } = (lengths as { item: { items: { length_frames: number }[] } }).item
    for (const index of [1, 2, 3]) {
      if (index > 1) await page.keyboard.press(']')
      await page.getByRole('heading', { name: `Episode ${index}` }).waitFor()
      await expectFirstFrame(page, demo, (items[index - 1]?.length_frames ?? 1) - 1)
    }
    expect(await page.evaluate(`window.isSamePage`)).toBe(true)
  })

  test('a segment by its marks: named, moved, taken back', async () => {
    await page.goto(`/datasets/${demo}/episodes/0`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    await page.keyboard.press('i')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('o')
    await page.keyboard.press('s')
    await page.keyboard.type('reach')
    await page.keyboard.press('Enter')
    const segment = page.locator('.timeline-segments').getByRole('button', { name: 'reach' })
    await segment.click()
    await page.getByRole('slider', { name: 'Out' }).focus()
    for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: /Save segment/ }).click()
    await page.getByText('Segment reach changed').waitFor()
    expect(await segment.getAttribute('title')).toMatch(/0\.00 to 1\.30 s/)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => segment.getAttribute('title')).toMatch(/0\.00 to 1\.05 s/)
  })

  test('an hour at 100 Hz: few points, few requests, every value when one looks closely', async () => {
    const { dataset, frames } = await importLongRecording(program)
    // Values are read at the playhead, not under a pointer that happens to lie there.
    await page.mouse.move(4, 4)
    let asked = 0
    page.on('request', (request) => {
      // The neighbours' are read ahead; they are short.
      if (/episodes\/1\/rows\?/.test(request.url())) asked++
    })
    await page.goto(`/datasets/${dataset}/episodes/1`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    const countPoints = () =>
      page.evaluate<number[]>(`[...document.querySelectorAll('.lane-host')].map((one) => Number(one.dataset.points))`)
    const coarse = await countPoints()
    expect(Math.max(...coarse)).toBeLessThanOrEqual(8000)
    expect(Math.min(...coarse)).toBeGreaterThan(4000)
    expect(asked).toBe(1)
    // Closer and closer around half past: a window of some 90 frames at the end.
    const middle = frames / 2 + 77
    await page.goto(`/datasets/${dataset}/episodes/1?t=${middle / 100}`)
    await page.locator('.tracks[data-loaded=true]').waitFor()
    asked = 0
    for (let n = 0; n < 12; n++) await page.keyboard.press('ArrowUp')
    const read = () => page.locator('[data-lane="left_elbow"] [data-value=state]').textContent()
    await expect.poll(read, { timeout: longMs }).toBe(expectedState(middle, 2).toFixed(3).replace('-', '\u2212'))
    await page.keyboard.press('.')
    await expect.poll(read, { timeout: longMs }).toBe(
      expectedState(middle + 1, 2)
        .toFixed(3)
        .replace('-', '\u2212'),
    )
    // Pieces are powers of two on a grid: however slowly one zooms, the hour is cut at most seven times, and an edge may be crossed.
    expect(asked).toBeLessThanOrEqual(8)
    expect(Math.max(...(await countPoints()))).toBeLessThanOrEqual(12_000)
    const right = page.getByRole('button', { name: /^right/ })
    await right.click()
    expect(await page.locator('[data-lane^=right]').count()).toBe(0)
    expect(await page.locator('[data-lane^=left]').count()).toBe(7)
    await right.click()
  })

  test('three flags, one taken back', async () => {
    await page.goto(`/datasets/${demo}/episodes/0`)
    await page.getByTestId('frame').waitFor()
    for (const reason of ['1', '3', '2']) {
      await page.keyboard.press(reason)
      await page.keyboard.press('f')
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      const index = Number(/episodes\/(\d+)/.exec(page.url())?.[1])
      await page.keyboard.press(']')
      await page.waitForURL(new RegExp(`/episodes/${index + 1}(\\?|$)`))
      await page.getByTestId('frame').waitFor()
    }
    await page.goto(`/datasets/${demo}/flags`)
    await page.getByText('3 flags').waitFor()
    await page.getByRole('button', { name: 'Remove the flag of episode 2' }).click()
    await page.getByText('2 flags').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 flags').waitFor()
  })

  test('a recipe with a crop: preview, version, export, download, tar', async () => {
    await page.goto(`/datasets/${demo}/recipe`)
    await page.getByRole('switch', { name: 'Crop' }).click()
    const edge = page.getByRole('slider', { name: 'left edge' })
    const before = Number(await edge.getAttribute('aria-valuenow'))
    await edge.focus()
    for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowRight')
    expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 8)
    await dragBy(page, '.crop-edge[data-edge=right]', -30)
    await page.getByRole('button', { name: /^1 Episodes/ }).click()
    await page.getByRole('button', { name: /Leave out the 3 flagged/ }).click()
    await page.locator('.result-figures').getByText(/^of/).first().waitFor()
    await page.getByText('re-encoded').first().waitFor()
    await page.keyboard.press('Control+Enter')
    const card = page.locator('[data-version]').first()
    await card.getByRole('button', { name: 'Export' }).click()
    await page.locator('[data-version][data-status=ready]').waitFor({ timeout: longMs })
    const [download] = await Promise.all([page.waitForEvent('download'), card.getByRole('button').first().click()])
    const tar = await readFile(await download.path())
    const org = /"org_slug":"([^"]+)"/.exec(JSON.stringify(await apiGet(page, `/api/v1/catalog/datasets/${demo}`)))?.[1]
    const versionId = await card.getAttribute('data-version')
    const { item } = (await apiGet(page, `/api/v1/orgs/${org}/derived-dataset-versions/${versionId}`)) as {
      item: { export_artifacts: { key: string; checksum_sha256: string }[]; episode_count: number }
    }
    const listed = item.export_artifacts.find(({ key }) => key === 'lerobot')?.checksum_sha256
    expect(createHash('sha256').update(tar).digest('hex')).toBe(listed)
    expect(tar.subarray(257, 262).toString()).toBe('ustar')
    const info = JSON.parse(readTarFile(tar, 'meta/info.json'))
    expect(info.total_episodes).toBe(item.episode_count)
    expect(info.codebase_version).toBe('v3.0')
  })

  test('a selection: left out by R and the header, kept on demand, turned around; Exclude is seen, a list that cannot be read stops the version', async () => {
    const startOver = () => page.getByRole('button', { name: 'Start over' }).click()
    const select = async (...episodes: number[]) => {
      await page.goto(`/datasets/${demo}`)
      for (const one of episodes)
        await page.getByRole('checkbox', { name: `Select episode ${one}`, exact: true }).click()
    }
    await page.goto(`/datasets/${demo}/recipe`)
    await startOver()
    await select(3, 9)
    await page.keyboard.press('r')
    const kept = page.locator('.result-figures').first()
    await kept.getByText('22', { exact: true }).waitFor()
    await select(3, 9, 20)
    await page.getByRole('link', { name: 'Start recipe' }).click()
    await kept.getByText('21', { exact: true }).waitFor()
    await startOver()
    await select(3, 9)
    await page.getByRole('button', { name: 'Keep only these' }).click()
    await page.getByRole('button', { name: /^1 Episodes 2 selected/ }).click()
    await page.getByRole('button', { name: 'Leave these 2 out instead' }).click()
    await kept.getByText('22', { exact: true }).waitFor()
    await startOver()
    await select(6, 13)
    await page.getByRole('button', { name: 'Exclude' }).click()
    await expect.poll(() => page.locator('.episode-row[data-out=true]').count()).toBe(2)
    await page.getByRole('link', { name: '2 left out of the draft' }).click()
    const list = page.getByRole('textbox', { name: 'Leave out', exact: true })
    expect(await list.inputValue()).toBe('6, 13')
    const create = page.getByRole('button', { name: /^Create version/ })
    await list.fill('6, 13, 22, 99')
    expect(await create.isDisabled()).toBe(true)
    await page.getByText('The list of episodes to leave out cannot be read.').first().waitFor()
    const said = await list.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${said}"]`).textContent()).toMatch(/^Numbers from 0 to 23/)
    await list.fill('6, 13, 22')
    await list.press('Enter')
    await page.locator('.result-figures').getByText('21', { exact: true }).waitFor()
    await expect.poll(() => create.isEnabled()).toBe(true)
    await startOver()
  })

  test('in Insights a tick leaves the list as it is, and one button selects what stands out', async () => {
    await page.goto(`/datasets/${demo}/insights`)
    const listed = page.locator('.selection-list').getByRole('checkbox')
    await listed.nth(1).waitFor()
    const before = await listed.count()
    await listed.first().click()
    await page.getByRole('radio', { name: 'Selected 1' }).waitFor()
    expect(await listed.count()).toBe(before)
    // The first of the list is one of them.
    const button = page.getByRole('button', { name: /^Select the \d+ that stand out$/ })
    const count = Number(/\d+/.exec((await button.textContent()) ?? '')?.[0])
    await button.click()
    await page.getByText(`${count} episodes selected`).waitFor()
    await page.keyboard.press('Escape')
  })

  test('a token shown once and revoked; a member invited', async () => {
    await page.goto('/settings/tokens')
    await page.getByLabel('What will use it').fill('browser test')
    await page.getByRole('button', { name: 'Create' }).click()
    const secret = (await page.getByTestId('secret').textContent()) ?? ''
    expect(secret).toMatch(/^nmp_\w{36}$/)
    expect((await program.call('GET', '/api/v1/users/me', { bearer: secret })).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke browser test' }).click()
    await page.getByText(/browser test revoked/).waitFor()
    expect((await program.call('GET', '/api/v1/users/me', { bearer: secret })).status).toBe(401)
    await page.getByRole('button', { name: /^Project / }).click()
    await page.getByRole('menuitem', { name: /members, projects, audit/ }).click()
    await page.getByPlaceholder('E-mail').fill('mira@example.org')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByText(/mira@example.org is invited/).waitFor()
    const link = (await page.getByText(/\/invite\?token=/).textContent()) ?? ''
    const { page: mira, context } = await openPage(browser, { url: program.url, width: 390, height: 844 })
    await mira.goto(link)
    await mira.getByLabel('Your name').fill('Mira')
    await mira.getByLabel('Password').fill('correct horse battery')
    await mira.getByRole('button', { name: 'Make the account and join' }).click()
    await mira.getByRole('button', { name: 'Account of mira@example.org' }).waitFor()
    await context.close()
  })

  test('on a phone: the projects and the people of the organization are under Me', async () => {
    const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '10')
    const { page: phone, context } = await openSignedIn(browser, program.url, bearer, 390)
    await phone.goto('/')
    await phone.getByRole('button', { name: 'Me' }).click()
    await phone.getByRole('link', { name: /admin \/ default/ }).click()
    await phone.waitForURL('**/orgs/admin/projects/default/datasets')
    await phone.getByRole('button', { name: 'Me' }).click()
    await phone.getByRole('link', { name: 'Members and invites' }).click()
    await phone.getByRole('button', { name: 'Invite' }).waitFor()
    await phone.goto('/orgs/admin')
    await phone.waitForURL('**/orgs/admin/members')
    await phone.goto('/orgs/admin/projects')
    const opened = phone.getByRole('row', { name: /default/ })
    await expect.poll(() => opened.textContent()).not.toContain('never')
    const nowhere = await phone.goto('/nonsense')
    expect(nowhere?.status()).toBe(404)
    await expect.poll(() => phone.getByRole('link', { name: /catalog/i }).count()).toBeGreaterThan(0)
    await context.close()
  })

  test('nothing was said on the console, and nobody else was asked', () => {
    expect(watched.faults).toEqual([])
  })
})
