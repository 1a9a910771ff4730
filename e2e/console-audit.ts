import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { listConsolePages, openSignedIn, setTheme, waitForCalm } from './console-pages.ts'
import type { Seeded } from './console-seed.ts'

/** Same parts as another page of the list. */
const alike = new Set([
  ...['catalog-hover', 'dataset-flagged', 'dataset-split', 'insights-brush', 'manage-robot', 'project-members'],
  ...['version-share', 'composed', 'composed-statistics', 'recipe-cameras', 'recipe-resize', 'recipe-annotations'],
])

/** In the page: what has not reached its end, which would be measured half way. */
const listTransitions = `document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.transitionProperty)`

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** In the page: from the sixth on, what stands in a row of parts of one kind shows nothing new, and takes most of axe's time. */
const markAlike = `for (const parent of document.querySelectorAll('*')) {
  const seen = new Map()
  for (const child of parent.children) {
    const kind = child.tagName + '.' + [...child.classList].sort().join('.')
    const count = (seen.get(kind) ?? 0) + 1
    seen.set(kind, count)
    if (count > 5) child.dataset.alike = ''
  }
}`

/** Colours differ between the themes, the rest of a page does not: dark is asked for its contrast alone. */
const rules = {
  light: `{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }`,
  dark: `{ runOnly: { type: 'rule', values: ['color-contrast'] } }`,
}

/** The bound of a page that is called calm is 0.1. */
export const mostShift = 0.05

/** In the page, before anything else: the sum of what moved without anybody's doing, as the Layout Instability API measures it. */
export const watchShifts = `globalThis.layoutShift = 0
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.layoutShift += value
}).observe({ type: 'layout-shift', buffered: true })`

/** Every page of the console at one width: what axe finds, what fades, what is too wide, and what jumps while it loads. */
export async function auditAll(
  browser: Browser,
  url: string,
  bearer: string,
  seeded: Seeded,
  width: number,
): Promise<string[]> {
  const { page, context } = await openSignedIn(browser, url, bearer, width)
  await page.addInitScript(watchShifts)
  const found: string[] = []
  for (const { name, path, act } of listConsolePages(seeded).filter((one) => !alike.has(one.name))) {
    await page.goto(path)
    await waitForCalm(page)
    const shift = await page.evaluate<number>('layoutShift')
    if (shift >= mostShift) found.push(`${name} ${width}: jumps while it loads, by ${shift.toFixed(3)}`)
    await act?.(page, width)
    found.push(...(await auditPage(page, `${name} ${width}`)))
  }
  await context.close()
  return found
}

/** What axe finds in the page as it stands, light and dark, what fades, and whether it is too wide; `name` begins each line. */
export async function auditPage(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  await page.evaluate(await readFile(axePath, 'utf8'))
  await page.evaluate(markAlike)
  for (const theme of ['light', 'dark'] as const) {
    await setTheme(page, theme)
    const moving = await page.evaluate<string[]>(listTransitions)
    for (const property of moving) found.push(`${name} ${theme}: ${property} fades although motion is reduced`)
    const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `axe.run({ exclude: [['[data-alike]']] }, ${rules[theme]}).then((result) => result.violations)`,
    )
    for (const { id, nodes } of violations)
      found.push(
        `${name} ${theme}: ${id} ${nodes
          .slice(0, 2)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
      )
  }
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  if (wide > 0) found.push(`${name}: ${wide} pixels wider than the window`)
  return found
}
