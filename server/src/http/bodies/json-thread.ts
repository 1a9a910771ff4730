import { type AnsweringThread, startAnsweringThread } from '../../answering-thread.ts'
import { findJsonExcess, type JsonBounds, type JsonExcess } from './json-bounds.ts'

/** What the thread is asked: the bytes become its own. */
export interface JsonQuestion {
  bytes: Uint8Array<ArrayBuffer>
  bounds: JsonBounds
}

export type ParsedJson =
  | { kind: 'value'; value: unknown }
  | { kind: 'excess'; excess: JsonExcess }
  | { kind: 'invalid' }

const jsonEntry = new URL('./json-entry.ts', import.meta.url)
const yamlEntry = new URL('./yaml-entry.ts', import.meta.url)
/** By their entries: JSON does not wait for YAML, of which a KiB costs up to eight milliseconds. */
const threads = new Map<URL, AnsweringThread<JsonQuestion, ParsedJson>>()

/** Counts and parses a large text beside the loop that everybody waits for; the loop gets the value as it is. */
export const parseBeside = (bytes: Uint8Array<ArrayBuffer>, bounds: JsonBounds): Promise<ParsedJson> =>
  ask(jsonEntry, { bytes, bounds })

/** The same for YAML, which has bounds of its own. */
export const parseYamlBeside = (bytes: Uint8Array<ArrayBuffer>): Promise<ParsedJson> =>
  ask(yamlEntry, { bytes, bounds: { mostDepth: 0, mostValues: 0 } })

function ask(entry: URL, question: JsonQuestion): Promise<ParsedJson> {
  const thread: AnsweringThread<JsonQuestion, ParsedJson> =
    threads.get(entry) ??
    startAnsweringThread(entry, {
      heapMegabytes: 256,
      refusal: 'The request could not be read. Try again in a moment.',
      onEnd: () => {
        if (threads.get(entry) === thread) threads.delete(entry)
      },
    })
  threads.set(entry, thread)
  return thread.ask(question, [question.bytes.buffer])
}

export function parseJson(bytes: Uint8Array, bounds: JsonBounds): ParsedJson {
  const excess = findJsonExcess(bytes, bounds)
  if (excess) return { kind: 'excess', excess }
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    return { kind: 'value', value: JSON.parse(text) }
  } catch {
    return { kind: 'invalid' }
  }
}
