import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChromium, launchBrowser } from './console-browser.ts'
import { openSignedIn } from './console-pages.ts'
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
    expect(await page.getByRole('navigation', { name: 'Episodes' }).getByRole('link').count()).toBe(2)
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
    await page.context().setOffline(false)
    await page.getByText('Offline: nothing can be changed now').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Episode 2' }).waitFor()
    await page.keyboard.press('f')
    await page.getByText('Episode 2 flagged').waitFor()
    await page.context().close()
  })
})
