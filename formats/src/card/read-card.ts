import { parseYaml } from '../containers/yaml.ts'
import { describeCause } from '../errors.ts'
import type { FileTree } from '../file-tree.ts'
import type { Findings } from '../finding.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import { cardBounds, type DatasetCard, factKeys } from './dataset-card.ts'
import { cleanText, findBibtex, findHeading } from './markdown.ts'

const names = ['README.md', 'readme.md', 'Readme.md', 'README.MD']
const maxBytes = 1024 * 1024

/** The card at the root of a tree; null where there is none, or none that can be read, which is said. Never throws for its sake. */
export async function readCard(tree: FileTree, findings: Findings): Promise<DatasetCard | null> {
  for (const name of names) {
    const found = await tree.find(name).catch(() => undefined)
    if (!found) continue
    if (found.sizeBytes > maxBytes) {
      findings.add('card-unreadable', `${name} is not used: it is larger than ${maxBytes} bytes.`)
      return null
    }
    try {
      await using source = await tree.open(name)
      const bytes = await source.read(0, found.sizeBytes)
      return parseCard(new TextDecoder('utf-8', { fatal: true }).decode(bytes), name, findings)
    } catch (error) {
      findings.add('card-unreadable', `${name} is not used: ${describeRefusal(error)}`)
      return null
    }
  }
  return null
}

const describeRefusal = (error: unknown): string =>
  error instanceof TypeError ? 'it is not UTF-8 text.' : `it cannot be read (${describeCause(error)}).`

/** As `huggingface_hub` finds it: the first line may be blank, the closing line ends the front matter. */
const frontMatter = /^\s*---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/

/** Undefined where there is no front matter. */
export function splitCard(text: string): { front: string; body: string } | undefined {
  const match = frontMatter.exec(text)
  return match ? { front: match[1] ?? '', body: text.slice(match[0].length) } : undefined
}

export function parseCard(text: string, name: string, findings: Findings): DatasetCard {
  const match = splitCard(text)
  const front = match && readFrontMatter(match.front, name, findings)
  const body = cleanText(front ? match.body : text).trim()
  const reader = new FieldReader(front ?? {}, name, findings)
  const facts = Object.entries(factKeys).map(([key, { field, most }]) => [field, reader.takeText(key, most)])
  return {
    title: reader.takeText('pretty_name', cardBounds.title) ?? reader.keepText(findHeading(body), cardBounds.title),
    description: reader.takeText('description', cardBounds.description),
    licence: takeLicence(reader),
    tags: reader.takeList('tags', cardBounds.tag, cardBounds.tags, /^[^\s,][^,]*$/),
    language: reader.takeList('language', cardBounds.language, cardBounds.languages, /^[\w-]+$/),
    citation:
      reader.takeText('citation', cardBounds.citation) ?? reader.keepText(findBibtex(body), cardBounds.citation),
    markdown: reader.keepText(body, cardBounds.markdown, 'The text below the front matter'),
    ...(Object.fromEntries(facts) as Record<(typeof factKeys)[keyof typeof factKeys]['field'], string | null>),
    more: reader.takeRest(),
  }
}

/** Undefined if it is not front matter but text between two rules. */
function readFrontMatter(text: string, name: string, findings: Findings): JsonObject | undefined {
  try {
    const value = parseYaml(text)
    return value === null ? {} : isObject(value) ? value : undefined
  } catch (error) {
    findings.add('card-unreadable', `The front matter of ${name} is not used: ${describeCause(error)}`)
    return {}
  }
}

/** A licence that the Hub does not list is written as `other` with its name beside. */
function takeLicence(reader: FieldReader): string | null {
  const listed = reader.takeList('license', cardBounds.licence, 10, /\S/)
  const isOther = listed.length === 0 || (listed.length === 1 && listed[0] === 'other')
  if (isOther) return reader.takeText('license_name', cardBounds.licence) ?? listed[0] ?? null
  return reader.keepText(listed.join(', '), cardBounds.licence)
}

/** What follows from the data, or is written anew; a derived dataset would carry it on wrongly. */
const ownKeys = ['configs', 'dataset_info', 'size_categories']
const notGiven = /^\[?\s*more information needed\s*\]?$/i

/** Takes fields out of a front matter; what is too long or of another form is left out and said. */
class FieldReader {
  readonly #left: Map<string, JsonValue>
  readonly #name: string
  readonly #findings: Findings

  constructor(given: JsonObject, name: string, findings: Findings) {
    this.#left = new Map(Object.entries(given))
    this.#name = name
    this.#findings = findings
  }

  takeText(key: string, most: number): string | null {
    const value = this.#take(key)
    if (value === null || value === undefined) return null
    if (typeof value === 'object') return this.#leaveOut(key, 'is not text') as null
    return this.keepText(cleanText(String(value)), most, key)
  }

  keepText(text: string | undefined, most: number, what = 'A text'): string | null {
    const kept = text?.trim() ?? ''
    if (kept === '' || notGiven.test(kept)) return null
    if (kept.length <= most) return kept
    this.#findings.add(
      'card-shortened',
      `${what} of ${this.#name} is longer than ${most} characters; the rest is left out.`,
    )
    return `${cutText(kept, most - 1)}…`
  }

  /** One text counts as a list of one. */
  takeList(key: string, most: number, mostItems: number, form: RegExp): string[] {
    const value = this.#take(key)
    if (value === null || value === undefined) return []
    const items = (Array.isArray(value) ? value : [value])
      .map((item) => (typeof item === 'object' ? '' : cleanText(String(item)).replaceAll(/\s+/g, ' ').trim()))
      .filter((item) => item !== '' && !notGiven.test(item))
    const good = [...new Set(items.filter((item) => item.length <= most && form.test(item)))]
    const leftOut = new Set(items).size - Math.min(good.length, mostItems)
    if (leftOut > 0) this.#leaveOut(key, `has ${leftOut} entries that are too long, of another form, or too many`)
    return good.slice(0, mostItems)
  }

  takeRest(): JsonObject {
    for (const key of ownKeys) this.#left.delete(key)
    const categories = this.takeList('task_categories', cardBounds.name, cardBounds.tags, /\S/)
    const others = categories.filter((category) => category !== 'robotics')
    if (others.length > 0) this.#left.set('task_categories', others)
    const rest = cleanJson(Object.fromEntries(this.#left)) as JsonObject
    if (JSON.stringify(rest).length <= cardBounds.more) return rest
    const keys = Object.keys(rest).slice(0, 5).join(', ')
    this.#findings.add('card-shortened', `Other keys of ${this.#name} (${keys}, …) are too long to be kept.`)
    return {}
  }

  #take(key: string): JsonValue | undefined {
    const value = this.#left.get(key)
    this.#left.delete(key)
    return value
  }

  #leaveOut(key: string, why: string): null {
    this.#findings.add('card-shortened', `${key} of ${this.#name} ${why}; left out.`)
    return null
  }
}

/** Never half of a character. */
const cutText = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

function cleanJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item)]))
}
