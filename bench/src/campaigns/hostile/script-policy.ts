import type { launchBrowser } from '../../../../e2e/console-browser.ts'
import { judge, type Verdict } from './verdict.ts'

type Browser = Awaited<ReturnType<typeof launchBrowser>>

/** What somebody does who got markup into a page after all, and the directive of the content security policy that stops it. */
const attempts: [name: string, directive: string, code: string][] = [
  [
    'a script in the page',
    'script-src-elem',
    `const made = document.createElement('script'); made.textContent = 'hostileRan("own")'; document.body.append(made)`,
  ],
  [
    'a script from elsewhere',
    'script-src-elem',
    `const made = document.createElement('script'); made.src = 'data:text/javascript,hostileRan("foreign")'; document.body.append(made)`,
  ],
  [
    'a handler in an element',
    'script-src-attr',
    `document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="hostileRan(1)">')`,
  ],
  ['text that is run', 'script-src', `setTimeout('hostileRan("text")', 0)`],
  [
    'a link that is a script',
    'script-src-elem',
    `const made = document.createElement('a'); made.href = 'javascript:hostileRan("link")'; document.body.append(made); made.click()`,
  ],
  [
    'a page in the page',
    'script-src-elem',
    `const made = document.createElement('iframe'); made.srcdoc = '<script>parent.hostileRan("inner")</script>'; document.body.append(made)`,
  ],
  [
    'another base for addresses',
    'base-uri',
    `const made = document.createElement('base'); made.href = 'https://attacker.example/'; document.head.append(made)`,
  ],
  [
    'a form that leads away',
    'form-action',
    `const made = document.createElement('form'); made.action = 'https://attacker.example/'; made.method = 'post'; document.body.append(made); made.submit()`,
  ],
]

/** The form of the sign-in page may end at a client's own address, so that it has no `form-action`; the other pages of accounts have. */
const policed: [name: string, path: string][] = [
  ['console', '/'],
  ['accounts', '/password/forgot'],
  ['API', '/docs'],
]
const open = '/hostile-open'
const patienceMs = 5000

/** The policy of each kind of page, tried in a browser; and a page without one, so that it is known that the tries would get through. */
export async function* judgePolicies(browser: Browser, url: string): AsyncGenerator<Verdict> {
  for (const [name, directive, code] of attempts) {
    const isScript = directive.startsWith('script')
    if (isScript)
      yield await judge(`policy: ${name} runs where there is none`, async () => {
        const { ran } = await attempt(browser, url, open, code)
        return { held: ran.length > 0, words: ran.length > 0 ? 'it ran' : 'it did not run' }
      })
    for (const [place, path] of policed)
      yield await judge(`policy: ${name}, ${place}`, async () => {
        const { ran, stopped } = await attempt(browser, url, path, code)
        const held = ran.length === 0 && stopped.some((one) => one.startsWith(directive) || directive.startsWith(one))
        return { held, words: ran.length > 0 ? 'it ran' : `stopped by ${stopped.join(', ') || 'nothing'}` }
      })
  }
  for (const [place, path] of policed) yield await judgeFraming(url, place, path)
}

/** What ran, and which directives were broken, until one of both happens. */
async function attempt(browser: Browser, url: string, path: string, code: string) {
  const context = await browser.newContext({ baseURL: url })
  const page = await context.newPage()
  const ran: string[] = []
  const stopped: string[] = []
  try {
    await page.exposeFunction('hostileRan', (what: string) => ran.push(String(what)))
    await page.exposeFunction('hostileStopped', (what: string) => stopped.push(what))
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', ({ effectiveDirective }) => hostileStopped(effectiveDirective))`,
    )
    await page.route(`**${open}`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>open</p>' }))
    await page.goto(path, { waitUntil: 'load' })
    stopped.length = 0
    await page.evaluate(`(() => { ${code} })()`)
    const end = Date.now() + patienceMs
    while (ran.length + stopped.length === 0 && Date.now() < end) await page.waitForTimeout(50)
    // What is stopped first may run a second way.
    await page.waitForTimeout(100)
    return { ran, stopped }
  } finally {
    await context.close()
  }
}

/** By its headers alone: a browser keeps pages from elsewhere off the addresses of this machine anyway. */
const judgeFraming = (url: string, place: string, path: string): Promise<Verdict> =>
  judge(`policy: shown in a frame elsewhere, ${place}`, async () => {
    const { headers } = await fetch(`${url}${path}`)
    const policy = headers.get('content-security-policy') ?? ''
    const held = policy.includes("frame-ancestors 'none'") && headers.get('x-frame-options') === 'DENY'
    return { held, words: held ? "frame-ancestors 'none'" : policy }
  })
