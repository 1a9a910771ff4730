/** A browser without scripts: keeps cookies, follows redirects, fills in the first form of the page it sees. */
export interface FormBrowser {
  open(address: string): Promise<string>
  submit(fields: Record<string, string>): Promise<string>
}

export function createFormBrowser(): FormBrowser {
  const cookies = new Map<string, string>()
  let address = ''
  let text = ''
  const visit = async (target: string, init: RequestInit = {}): Promise<string> => {
    address = new URL(target, address || undefined).href
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', cookie, origin: new URL(address).origin }
    const response = await fetch(address, { ...init, redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    text = await response.text()
    const location = response.headers.get('location')
    return location && response.status < 400 ? visit(location) : text
  }
  return {
    open: (target) => visit(target),
    submit(fields) {
      const form = /<form[\s\S]*?<\/form>/.exec(text)?.[0]
      if (!form) throw new Error(`${address} has no form:\n${text}`)
      const body = new URLSearchParams()
      for (const [input] of form.matchAll(/<input[^>]*>/g)) {
        const name = /name="([^"]*)"/.exec(input)?.[1]
        if (name) body.set(name, / value="([^"]*)"/.exec(input)?.[1] ?? '')
      }
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      return visit(/action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '', { method: 'POST', body })
    },
  }
}
