/** What the stylesheets of the console define and what its components name, read from the sources: for architecture.test.ts. */
import { globSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { textOf } from './import-graph.ts'

const list = (pattern: string): string[] => globSync(pattern, { cwd: import.meta.dirname }).sort()

export interface Stylesheet {
  file: string
  lines: number
  /** Every class in its selectors. */
  classes: ReadonlySet<string>
  /** The first class of each selector: what the file is about. */
  subjects: ReadonlySet<string>
}

export const stylesheets: Stylesheet[] = list('web/src/**/*.css').map((file) => {
  const text = textOf(file)
  const selectors = [...text.replace(/\/\*[\s\S]*?\*\/|"[^"\n]*"/g, '').matchAll(/([^{};]+)\{/g)]
    .map(([, head = '']) => head.trim())
    .filter((head) => !head.startsWith('@'))
    .flatMap((head) => head.split(/,(?![^(]*\))/))
  const namesIn = (selector: string): string[] => (selector.match(/\.[a-z][\w-]*/gi) ?? []).map((one) => one.slice(1))
  const own = selectors.filter((selector) => !selector.trim().startsWith('&'))
  return {
    file,
    lines: text.split('\n').length - 1,
    classes: new Set(selectors.flatMap(namesIn)),
    subjects: new Set(own.flatMap((selector) => namesIn(selector).slice(0, 1))),
  }
})

export interface Component {
  file: string
  text: string
  /** The classes in its `className` attributes. */
  classes: ReadonlySet<string>
  /** The stylesheets that it imports. */
  imports: string[]
}

/** The text from `start` to the brace that closes the one before it. */
function readBraces(text: string, start: number): string {
  let depth = 1
  let end = start
  for (; depth > 0 && end < text.length; end++) depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0
  return text.slice(start, end - 1)
}

function readClasses(text: string): string[] {
  return [...text.matchAll(/className=("([^"]*)"|\{)/g)].flatMap(({ index, 0: all, 2: plain }) => {
    if (plain !== undefined) return plain.split(/\s+/)
    // What is compared with is no class.
    const code = readBraces(text, index + all.length).replace(/[!=]== '[^']*'/g, '')
    const templates = [...code.matchAll(/`([^`]*)`/g)].map(([, inside = '']) => inside.replace(/\$\{[^}]*\}/g, ''))
    return [...[...code.matchAll(/'([^']*)'/g)].map(([, inside = '']) => inside), ...templates].flatMap((one) =>
      one.split(/\s+/),
    )
  })
}

export const components: Component[] = list('web/src/**/*.tsx').map((file) => {
  const text = textOf(file)
  return {
    file,
    text,
    classes: new Set(readClasses(text).filter((name) => name !== '')),
    imports: [...text.matchAll(/^import '(\.[^']+\.css)'$/gm)].map(([, path = '']) =>
      normalize(join(dirname(file), path)),
    ),
  }
})

/** Values in `style={{ … }}` that are written out: those belong into a stylesheet. */
export const listWrittenStyles = (text: string): string[] =>
  [...text.matchAll(/style=\{\{/g)].flatMap(({ index, 0: all }) =>
    readBraces(text, index + all.length)
      .split(/,(?![^(]*\))|\n/)
      .map((entry) => entry.trim())
      .filter((entry) => /^['\w-]+: ('[^']*'|-?[\d.]+)$/.test(entry)),
  )
