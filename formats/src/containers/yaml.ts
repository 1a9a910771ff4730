/** YAML, within bounds: what is parsed is small, nests little, and cannot grow by its aliases. */
import { parseDocument, stringify } from 'yaml'
import { FormatError } from '../errors.ts'
import type { JsonObject, JsonValue } from '../json.ts'

/** A second or two of parsing at the very worst (a tag after a tag after a tag). */
const maxLength = 64 * 1024
const maxDepth = 16
const maxAliases = 50

/** YAML 1.2: dates stay texts, and `no` is Norwegian. Keys that come twice: the last counts. */
export function parseYaml(text: string): JsonValue {
  if (text.length > maxLength) throw invalid(`it is longer than ${maxLength} characters`)
  const document = parseDocument(text, {
    schema: 'core',
    strict: false,
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  })
  const [fault] = document.errors
  if (fault) throw invalid(`${fault.message} (line ${countLines(text, fault.pos[0])})`)
  try {
    return toJson(document.toJS({ maxAliasCount: maxAliases }), 0)
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw invalid('its aliases expand to too much', cause)
  }
}

/** As PyYAML writes it, so that tools of the Hub change nothing; what YAML 1.1 would take for no text is quoted. */
export const formatYaml = (value: JsonObject): string =>
  stringify(value, { compat: 'yaml-1.1', indentSeq: false, lineWidth: 0 })

/** An anchor inside itself ends at the depth, too. */
function toJson(value: unknown, depth: number): JsonValue {
  if (depth > maxDepth) throw invalid(`it nests deeper than ${maxDepth}`)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, depth + 1)]))
}

const countLines = (text: string, end: number): number => text.slice(0, end).split('\n').length

const invalid = (why: string, cause?: unknown): FormatError =>
  new FormatError('metadata_invalid', `${why}.`, cause === undefined ? {} : { cause })
