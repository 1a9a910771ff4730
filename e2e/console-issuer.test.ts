import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChromium, launchBrowser, openPage } from './console-browser.ts'
import { startOutsideIssuer } from './outside-issuer.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

describe('the console with an issuer of another house', { timeout: 120_000 }, () => {
  let issuer: Awaited<ReturnType<typeof startOutsideIssuer>>
  let program: Program
  let browser: Browser

  beforeAll(async () => {
    issuer = await startOutsideIssuer()
    program = await startProgram({ env: { NMP_OIDC_ISSUER: issuer.url, NMP_OIDC_CLIENT_ID: 'console' } })
    issuer.serve(program.url)
    browser = await launchBrowser(getChromium())
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await issuer?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  test('signs a stranger in, comes back to the page, survives a new tab, and signs out at both', async () => {
    const { page, context, faults } = await openPage(browser, { url: program.url })
    await page.goto('/?q=arm')
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${issuer.url}/**`)
    await page.getByPlaceholder('Enter any login').fill('ada')
    await page.getByPlaceholder('and password').fill('whatever')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: /^Account of/ }).waitFor()
    expect(page.url()).toBe(`${program.url}/?q=arm`)

    const other = await context.newPage()
    await other.goto('/settings/profile')
    await other.getByText('ada@example.org').first().waitFor()
    await other.close()

    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(`${issuer.url}/**`)
    await page.getByRole('button', { name: /sign me out/i }).click()
    await page.waitForURL(`${program.url}/`)
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor()
    const isIssuers = (fault: string) => fault.includes(issuer.url) || fault.includes('fonts.googleapis.com')
    expect(faults.filter((fault) => !isIssuers(fault))).toEqual([])
  })
})
