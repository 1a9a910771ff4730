import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mostShift, watchShifts } from './console-audit.ts'
import { getChromium, launchBrowser } from './console-browser.ts'
import { openSignedIn, waitForCalm } from './console-pages.ts'
import { type Seeded, seedConsole } from './console-seed.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

describe('what the console says when something does not come', { timeout: 600_000 }, () => {
  let program: Program
  let browser: Browser
  let seeded: Seeded
  let bearer = ''

  beforeAll(async () => {
    program = await startProgram({ env: { NMP_DEMO: 'account' } })
    browser = await launchBrowser(getChromium())
    bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
    seeded = await seedConsole(program.url, bearer, ['two-cameras'])
  }, 400_000)
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  const open = async (path: string, prepare?: (page: Page) => Promise<unknown>) => {
    const { page } = await openSignedIn(browser, program.url, bearer, 1280)
    await prepare?.(page)
    await page.goto(path)
    return page
  }
  const videos = '**/api/v1/media/**/video?**'

  test('[ and ] follow the list one came from, say where one is, and go by number when it is left', async () => {
    const page = await open(`/datasets/${seeded.dataset}?split=val`)
    await page.locator('.episode-row').filter({ hasText: 'Episode 4' }).click()
    await page.getByText('1 of 2 in val').waitFor()
    await expect.poll(() => page.getByRole('navigation', { name: 'Episodes' }).getByRole('link').count()).toBe(2)
    await page.keyboard.press(']')
    await page.waitForURL('**/episodes/5')
    await page.getByText('2 of 2 in val').waitFor()
    expect(await page.getByRole('button', { name: 'Next episode' }).isDisabled()).toBe(true)
    await page.reload()
    await page.getByText('2 of 2 in val').waitFor()
    await page.keyboard.press('[')
    await page.waitForURL('**/episodes/4')
    await page.getByRole('button', { name: /leave this list/ }).click()
    await page.keyboard.press('[')
    await page.waitForURL('**/episodes/3')

    // A list that was left is not followed from elsewhere, either.
    await page.goto(`/datasets/${seeded.dataset}?split=val`)
    await page.locator('.episode-row').filter({ hasText: 'Episode 4' }).click()
    await page.getByText('1 of 2 in val').waitFor()
    await page.goto(`/datasets/${seeded.dataset}/frames`)
    await page.getByRole('link', { name: 'Episode 4', exact: true }).click()
    await page.getByRole('heading', { name: 'Episode 4' }).waitFor()
    expect(await page.getByText('in val').count()).toBe(0)
    await page.context().close()
  })

  test('pages whose answers come one after the other do not jump, with many projects neither', async () => {
    for (const slug of ['arms', 'bins', 'cups', 'doors', 'eggs'])
      await program.call('POST', `/api/v1/orgs/${seeded.org}/projects`, { bearer, body: { slug, name: slug } })
    const recipe = `/datasets/${seeded.dataset}/recipe?step=`
    const jumps: string[] = []
    for (const width of [1280, 390]) {
      const { page } = await openSignedIn(browser, program.url, bearer, width)
      await page.addInitScript(watchShifts)
      let asked = 0
      await page.route('**/api/v1/**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, [0, 120, 40, 200, 80][asked++ % 5]))
        await route.continue().catch(() => {})
      })
      for (const path of ['/', `${recipe}episodes`, `${recipe}action`, `/datasets/${seeded.dataset}/episodes/1`]) {
        await page.goto(path)
        await waitForCalm(page)
        const shift = await page.evaluate<number>('layoutShift')
        if (shift >= mostShift) jumps.push(`${path} at ${width} by ${shift.toFixed(3)}`)
      }
      await page.context().close()
    }
    expect(jumps).toEqual([])
  })

  test('what is selected outside of a list stays so, whatever is selected in it', async () => {
    const page = await open(`/datasets/${seeded.dataset}`)
    await page.getByRole('checkbox', { name: 'Select episode 0', exact: true }).click()
    await page.getByText('1 episode selected').waitFor()
    await page.getByRole('combobox', { name: 'Split' }).selectOption({ label: 'val, 2' })
    await page.waitForURL('**?split=val')
    const head = page.getByRole('checkbox', { name: 'Select all that are listed' })
    await head.click()
    await page.getByText('3 episodes selected').waitFor()
    await head.click()
    await page.getByText('1 episode selected').waitFor()
    await page.getByRole('link', { name: /^Flags/ }).click()
    await page.getByRole('button', { name: 'Select these episodes' }).click()
    // One and four are flagged.
    await page.getByText('3 episodes selected').waitFor()
    await page.context().close()
  })

  test('an episode, the settings and the places of the organization are found by a few letters', async () => {
    const page = await open(`/datasets/${seeded.dataset}`)
    const jumpTo = async (text: string, name: RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Dataset, project/ }).fill(text)
      await page.getByRole('option', { name }).click()
    }
    await page.getByRole('table', { name: 'Episodes' }).waitFor()
    await jumpTo('episode 4', /^Episode 4/)
    await page.waitForURL('**/episodes/4')
    await jumpTo('5', /^Episode 5/)
    await page.waitForURL('**/episodes/5')
    await jumpTo('tok', /^Tokens/)
    await page.waitForURL('**/settings/tokens')
    await jumpTo('security org', /^Security/)
    await page.waitForURL(`**/orgs/${seeded.org}/security`)
    await page.context().close()
  })

  test('a video that does not come says why, each in its own words, and comes when asked again', async () => {
    let answer: 'lost' | 'fault' | 'damaged' | 'good' = 'lost'
    const page = await open(`/datasets/${seeded.dataset}/episodes/1`, (one) =>
      one.route(videos, (route) => {
        if (answer === 'lost') return route.abort('connectionrefused')
        if (answer === 'good') return route.continue()
        const code = answer === 'damaged' ? 'content_damaged' : 'internal_error'
        return route.fulfill({ status: answer === 'damaged' ? 502 : 500, json: { detail: 'No.', code } })
      }),
    )
    const fault = page.locator('.camera.main').getByRole('alert')
    await fault.getByText('The video did not arrive').waitFor()
    answer = 'fault'
    await fault.getByRole('button', { name: 'Try again' }).click()
    await fault.getByText('The server could not send the video').waitFor()
    answer = 'damaged'
    await fault.getByRole('button', { name: 'Try again' }).click()
    await fault.getByText('The stored video is damaged').waitFor()
    answer = 'good'
    await fault.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => page.locator('.camera.main video').getAttribute('data-shown')).toBe('0')
    expect(await fault.count()).toBe(0)
    await page.context().close()
  })

  test('the page of an episode is whole and can be used while its video does not answer', async () => {
    const page = await open(`/datasets/${seeded.dataset}/episodes/1`, (one) => one.route(videos, () => undefined))
    await page.getByRole('navigation', { name: 'Episodes' }).getByRole('link').first().waitFor()
    await page.getByRole('toolbar', { name: 'Frames of the draft' }).waitFor()
    await page.locator('.tracks[data-loaded="true"]').waitFor()
    await page.keyboard.press('.')
    await expect.poll(() => page.getByTestId('frame').textContent()).toBe('1')
    expect(await page.locator('.camera.main video').getAttribute('data-shown')).toBeNull()
    await page.context().close()
  })

  test('an address that has ended is renewed by itself', async () => {
    const page = await open(`/datasets/${seeded.dataset}/episodes/1`, async (one) => {
      // As an open tab finds it after a night: what it was given does not count any more.
      let isFirst = true
      await one.route('**/episodes/1/media', async (route) => {
        const answer = await route.fetch()
        const text = await answer.text()
        const ended = text.replaceAll(/signature=[^&"#]{4}/g, 'signature=AAAA')
        const body = isFirst ? ended : text
        isFirst = false
        await route.fulfill({ response: answer, body })
      })
    })
    await expect.poll(() => page.locator('.camera.main video').getAttribute('data-shown')).toBe('0')
    expect(await page.getByText('This browser cannot play').count()).toBe(0)
    await page.context().close()
  })

  test('pictures that did not come are marked, and asked for again', async () => {
    let isLost = true
    const page = await open(`/datasets/${seeded.dataset}/frames`, (one) =>
      one.route('**/api/v1/media/**/poster?**', (route) => (isLost ? route.abort() : route.continue())),
    )
    const missing = page.getByRole('img', { name: 'This picture could not be loaded' })
    await missing.first().waitFor()
    isLost = false
    await page.evaluate(`window.dispatchEvent(new Event('online'))`)
    await expect.poll(() => missing.count()).toBe(0)
    await page.context().close()
  })

  test('without a network a change is refused in words, and what was there is shown', async () => {
    const page = await open(`/datasets/${seeded.dataset}/episodes/2`)
    await page.getByRole('button', { name: /Flag episode/ }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('Offline: nothing can be changed now').waitFor()
    await page.keyboard.press('f')
    await page.getByRole('alert').getByText('This was not saved. You are offline.').waitFor()
    await expect.poll(() => page.locator('.timeline-flags').isVisible()).toBe(false)
    await page.context().setOffline(false)
    await page.getByText('Offline: nothing can be changed now').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Episode 2' }).waitFor()
    await page.keyboard.press('f')
    await page.getByText('Episode 2 flagged').waitFor()
    await page.context().close()
  })
})
