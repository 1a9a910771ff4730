/** Markup that is safe to send as it is. Made by `html` only, which escapes everything put into it that is not markup itself. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Part = Html | string | number | undefined | false | readonly Html[]

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((text, string, index) => text + renderPart(parts[index - 1]) + string))

function renderPart(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.markup
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('')
  return escapeText(String(part))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeText = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
