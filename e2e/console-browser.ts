import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Chromium of `NMP_CHROMIUM` or from where systems put it; undefined where there is none. */
const findChromium = (): string | undefined =>
  [process.env.NMP_CHROMIUM, ...usualPlaces].find((path) => path !== undefined && existsSync(path))

export function getChromium(): string {
  const path = findChromium()
  if (path) return path
  throw new Error(
    'The tests of the console need Chromium. Set NMP_CHROMIUM to it, or run .ci/browser, which installs it.',
  )
}

export interface WatchedPage {
  page: Page
  context: BrowserContext
  /** What must not happen: errors on the console, faults of scripts, requests to another host. */
  faults: string[]
}

/** Ends what hangs. A machine of CI runs two other lanes beside this one, and a quiet one needs a second. */
export const patienceMs = 120_000

export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })

interface PageRequest {
  url: string
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
}

export async function openPage(
  browser: Browser,
  { url, width = 1280, height = 800, colorScheme = 'light' }: PageRequest,
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme,
    acceptDownloads: true,
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const faults: string[] = []
  const origin = new URL(url).origin
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('request', (request) => {
    const target = request.url()
    if (!/^(data|blob):/.test(target) && new URL(target).origin !== origin) faults.push(`foreign request: ${target}`)
  })
  return { page, context, faults }
}

/** Signs the browser in with the link that the program prints: one press, and the console is open as that person. */
export async function signIn(page: Page, output: string): Promise<void> {
  const link = /sign in\s+(http\S+code=\S+)/.exec(output)?.[1]
  if (!link) throw new Error(`The program printed no sign-in link:\n${output}`)
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
}
