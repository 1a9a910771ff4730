import { createBrowser } from '../../../../server/test/browser.ts'
import { password } from './ground.ts'
import { type Family, judge, judgeSeveral } from './verdict.ts'

const evil = 'evil.example'

/** Where a link to the sign-in page says to go afterwards. */
const next = [
  `https://${evil}/`,
  `//${evil}`,
  `///${evil}`,
  `/\\${evil}`,
  `\\\\${evil}`,
  `/\t/${evil}`,
  ` //${evil}`,
  `https:${evil}`,
  `https:///${evil}`,
  `http://127.0.0.1@${evil}/`,
  `/%09//${evil}`,
  `/.//${evil}`,
  `/..//${evil}`,
  `/%2f%2f${evil}`,
  `javascript:alert(document.domain)`,
  `data:text/html,<script>alert(1)</script>`,
  `/\r\nlocation: https://${evil}`,
  `blob:https://${evil}/x`,
]

export const nextAddresses: Family = {
  name: 'redirects',
  title: 'redirects after signing in',
  bar: 'the browser stays at our address',
  run: ({ program, ada }) =>
    judgeSeveral(next, 1, (address) =>
      judge(JSON.stringify(address), async () => {
        const browser = createBrowser(program.url)
        await browser.open(`/sign-in?next=${encodeURIComponent(address)}`)
        const end = await browser.submit({ email: ada.email, password, next: address })
        const again = await browser.open(`/sign-in?next=${encodeURIComponent(address)}`)
        const places = [end, again].map((visit) => new URL(visit.address).origin)
        const isHome = places.every((origin) => origin === program.url) && end.status < 500 && again.status < 500
        return { held: isHome, words: `${end.status} at ${new URL(end.address).pathname}` }
      }),
    ),
}
