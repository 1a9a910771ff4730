import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { getChromium, launchBrowser } from './console-browser.ts'
import { listConsolePages, openSignedIn, setTheme, waitForCalm } from './console-pages.ts'
import { seedConsole } from './console-seed.ts'
import { cleanUp, startProgram } from './program.ts'

/** `npm run screens [FOLDER] [NAME ...]`: every page of the console, light and dark, 1280 and 390 wide, of a fresh program with data in it. */
const [folder = 'screens', ...names] = process.argv.slice(2)
const target = resolve(folder)

const program = await startProgram({ env: { NMP_CHANNEL: 'dev', NMP_DEMO: '1', NMP_ORG_QUOTA_BYTES: '200000000' } })
const browser = await launchBrowser(getChromium())
try {
  await mkdir(target, { recursive: true })
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
  const pages = listConsolePages(await seedConsole(program.url, bearer))
  let sideways = 0
  for (const width of [1280, 390]) {
    const { page, context } = await openSignedIn(browser, program.url, bearer, width)
    for (const { name, path, act } of pages.filter((one) => names.length === 0 || names.includes(one.name))) {
      await page.goto(path)
      await waitForCalm(page)
      await act?.(page, width)
      // Pictures of lists are drawn as backgrounds: nobody tells when those are there.
      await page.waitForTimeout(700)
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        const file = join(target, `${name}-${width}-${theme}.png`)
        await page.screenshot({ path: file })
        process.stdout.write(`${file}\n`)
      }
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (wide > 0) {
        sideways++
        process.stdout.write(`${name} at ${width} is ${wide} pixels too wide\n`)
      }
    }
    await context.close()
  }
  if (sideways > 0) process.exitCode = 1
} finally {
  await browser.close()
  await program.stop()
  await cleanUp()
}
