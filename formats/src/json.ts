import { describeCause, FormatError } from './errors.ts'
import type { FileTree } from './file-tree.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue }

export interface JsonLimits {
  readonly maxBytes: number
  readonly maxDepth: number
}

const documentLimits: JsonLimits = { maxBytes: 64 * 1024 * 1024, maxDepth: 64 }
const lineLimits: JsonLimits = { maxBytes: 16 * 1024 * 1024, maxDepth: 64 }
const readBytes = 1024 * 1024

export interface ParsedJson {
  readonly value: JsonValue
  /** Python writes bare NaN and Infinity; each was read as null. */
  readonly nonFiniteCount: number
}

/** Parses JSON as Python writes it, within bounds; `name` is used in the sentence of an error. */
export function parseJson(text: string, name: string, limits: JsonLimits = documentLimits): ParsedJson {
  if (text.length > limits.maxBytes) throw tooLarge(name, limits.maxBytes)
  const { repaired, nonFiniteCount } = scanJson(text, name, limits.maxDepth)
  try {
    return { value: JSON.parse(replaceUnstorable(repaired)) as JsonValue, nonFiniteCount }
  } catch (cause) {
    throw new FormatError('metadata_invalid', `${name} is not valid JSON: ${describeCause(cause)}.`, { cause })
  }
}

/** The whole of a small text file. */
export async function readText(tree: FileTree, path: string, maxBytes = documentLimits.maxBytes): Promise<string> {
  await using source = await tree.open(path)
  const sizeBytes = await source.length()
  if (sizeBytes > maxBytes) throw tooLarge(path, maxBytes)
  return decodeText(await source.read(0, sizeBytes))
}

export async function readJson(tree: FileTree, path: string, limits: JsonLimits = documentLimits): Promise<ParsedJson> {
  return parseJson(await readText(tree, path, limits.maxBytes), path, limits)
}

/** One parsed value per non-empty line, read in pieces. */
export async function* readJsonLines(
  tree: FileTree,
  path: string,
  limits: JsonLimits = lineLimits,
): AsyncGenerator<ParsedJson> {
  await using source = await tree.open(path)
  const sizeBytes = await source.length()
  let rest: Uint8Array = new Uint8Array(0)
  let line = 0
  for (let start = 0; start < sizeBytes; start += readBytes) {
    const piece = await source.read(start, Math.min(start + readBytes, sizeBytes))
    let bytes = Buffer.concat([rest, piece])
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a)) {
      line++
      const text = decodeText(bytes.subarray(0, end)).trim()
      bytes = bytes.subarray(end + 1)
      if (text !== '') yield parseJson(text, `${path} line ${line}`, limits)
    }
    if (bytes.length > limits.maxBytes) throw tooLarge(`${path} line ${line + 1}`, limits.maxBytes)
    rest = bytes
  }
  const text = decodeText(rest).trim()
  if (text !== '') yield parseJson(text, `${path} line ${line + 1}`, limits)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes)
}

/** One pass over the text outside strings: bounds the nesting before `JSON.parse` recurses, and replaces Python's tokens. */
function scanJson(text: string, name: string, maxDepth: number): { repaired: string; nonFiniteCount: number } {
  const pieces: string[] = []
  let kept = 0
  let depth = 0
  let nonFiniteCount = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      at++
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    } else if (character === '{' || character === '[') {
      if (++depth > maxDepth) throw new FormatError('limit_exceeded', `${name} nests deeper than ${maxDepth} levels.`)
    } else if (character === '}' || character === ']') {
      depth--
    } else if (character === 'N' || character === 'I') {
      const token = character === 'N' ? 'NaN' : 'Infinity'
      if (!text.startsWith(token, at)) continue
      const start = text[at - 1] === '-' ? at - 1 : at
      pieces.push(text.slice(kept, start), 'null')
      at += token.length - 1
      kept = at + 1
      nonFiniteCount++
    }
  }
  return { repaired: pieces.length === 0 ? text : pieces.join('') + text.slice(kept), nonFiniteCount }
}

/** Pairs of surrogates, what no database keeps as text (NUL, half a pair), and other escapes, so that `\\u0000` stays what it is. */
const escapes = /(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\u(?:0000|d[89a-f][0-9a-f]{2})|(\\[\s\S])/gi

/** Texts of a source end up in a database and in files of UTF-8: what neither can hold becomes the sign for it, U+FFFD. */
const replaceUnstorable = (text: string): string =>
  text.includes('\\u') ? text.replace(escapes, (_, pair, other) => pair ?? other ?? '\\ufffd') : text

/** The same for texts that are no JSON: a NUL, which no database keeps. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '\ufffd')

function tooLarge(name: string, maxBytes: number): FormatError {
  return new FormatError('limit_exceeded', `${name} is larger than ${maxBytes / 1024 / 1024} MiB.`)
}
