/** A browser without scripts: keeps cookies by path, follows redirects on its own origin, fills in forms. */
export interface Browser {
  /** Goes to an address and follows redirects until a page, or an address of another origin. */
  open(address: string): Promise<Visit>
  /** Fills in the form of the page last seen and sends it as a browser would. */
  submit(fields: Record<string, string>, options?: { form?: number; headers?: Record<string, string> }): Promise<Visit>
  cookies: Map<string, { value: string; path: string }>
}

export interface Visit {
  address: string
  status: number
  text: string
  headers: Headers
}

export function createBrowser(origin: string): Browser {
  const cookies = new Map<string, { value: string; path: string }>()
  let page: Visit = { address: `${origin}/`, status: 0, text: '', headers: new Headers() }

  const cookieHeader = (path: string): string =>
    [...cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(([name, cookie]) => `${name.split(' ')[0]}=${cookie.value}`)
      .join('; ')

  const keepCookies = (headers: Headers): void => {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */)
      const [name = '', ...value] = pair.split('=')
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
      const isGone = attributes.some(
        (attribute) => /^expires=thu, 01 jan 1970/i.test(attribute) || /^max-age=0$/i.test(attribute),
      )
      if (isGone) cookies.delete(`${name} ${path}`)
      else cookies.set(`${name} ${path}`, { value: value.join('='), path })
    }
  }

  const visit = async (address: string, init: RequestInit = {}): Promise<Visit> => {
    const url = new URL(address, page.address)
    if (url.origin !== origin) {
      page = { address: url.href, status: 0, text: '', headers: new Headers() }
      return page
    }
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: cookieHeader(url.pathname), ...init.headers },
    })
    keepCookies(response.headers)
    const location = response.headers.get('location')
    const text = await response.text()
    page = { address: url.href, status: response.status, text, headers: response.headers }
    return location && response.status >= 300 && response.status < 400 ? visit(location) : page
  }

  return {
    cookies,
    open: (address) => visit(address),
    submit(fields, { form = 0, headers = {} } = {}) {
      const markup = page.text.match(/<form[\s\S]*?<\/form>/g)?.[form]
      if (!markup) throw new Error(`${page.address} (${page.status}) has no form ${form}.`)
      const action = readEntities(/action="([^"]*)"/.exec(markup)?.[1] ?? '')
      const body = new URLSearchParams()
      for (const [input] of markup.matchAll(/<input[^>]*>/g)) {
        const name = /name="([^"]*)"/.exec(input)?.[1]
        if (name) body.set(name, readEntities(/ value="([^"]*)"/.exec(input)?.[1] ?? ''))
      }
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      return visit(action, { method: 'POST', body, headers: { origin, ...headers } })
    },
  }
}

const readEntities = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
