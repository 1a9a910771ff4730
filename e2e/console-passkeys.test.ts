import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChromium, launchBrowser, openPage } from './console-browser.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

const email = 'eva@example.org'
const password = 'correct horse battery'

/** Passkeys are given to names, so that the program has to know its own. */
async function startAtName(): Promise<{ program: Program; url: string }> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const url = `http://localhost:${port}`
  return { program: await startProgram({ env: { NMP_PORT: String(port), NMP_PUBLIC_URL: url } }), url }
}

/** A device with a fingerprint reader, on which its person's finger lies. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describe('a passkey in the browser', { timeout: 180_000 }, () => {
  let program: Program
  let url = ''
  let browser: Browser

  beforeAll(async () => {
    ;({ program, url } = await startAtName())
    browser = await launchBrowser(getChromium())
    await program.mustAdmin('user', 'add', email, '--password', password)
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  const give = async (page: Page): Promise<void> => {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const signOut = async (page: Page): Promise<void> => {
    await page.goto(`${url}/account`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out').waitFor()
  }
  const expectNoFault = async (page: Page): Promise<void> => {
    await page.evaluate(await readFile(axePath, 'utf8'))
    const found = await page.evaluate<{ id: string }[]>('axe.run(document).then((result) => result.violations)')
    expect([page.url(), found.map(({ id }) => id)]).toEqual([page.url(), []])
  }

  test('is added, signs in alone and as the second step, and shows in the settings with the sessions', async () => {
    const { page, context, faults } = await openPage(browser, { url })
    await addAuthenticator(page)
    await page.goto('/sign-in?next=/account/two-step')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await expectNoFault(page)
    await give(page)
    await page.getByText('Off.').waitFor()
    await expectNoFault(page)
    await page.getByLabel('Name of the new passkey').fill('Test device')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('heading', { name: 'Keep these codes' }).waitFor()
    await expectNoFault(page)
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByText('Test device').waitFor()

    await signOut(page)
    await page.goto('/sign-in?next=/account')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(`Signed in as ${email}`).waitFor()

    await signOut(page)
    await page.goto('/sign-in')
    await give(page)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    await expectNoFault(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: /^Account of/ }).waitFor()

    await page.goto('/settings/security')
    await page.getByText('one passkey').waitFor()
    await page.getByText('This one').waitFor()
    await page.goto('/account/sessions')
    await page.getByText('This browser').waitFor()
    await expectNoFault(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('is not needed where no script runs: the password works', async () => {
    const context = await browser.newContext({ baseURL: url, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto('/sign-in')
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false)
    await give(page)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    await context.close()
  })
})
