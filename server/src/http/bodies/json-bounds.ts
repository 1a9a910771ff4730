/** What is read of a JSON text before it is parsed: `JSON.parse` itself knows no bound, and holds the thread up until it is done. */
export interface JsonBounds {
  /** Levels of arrays and objects. */
  mostDepth: number
  /** Keys and values together, each array and object too. */
  mostValues: number
}

export interface JsonExcess {
  /** The byte at which it became too much. */
  index: number
  sentence: string
}

/**
 * Where a text first has more than it may, read from the bytes in one pass, which costs some nanoseconds a byte and keeps nothing:
 * every value but the first of its container follows a comma, a colon or a bracket, and none of those bytes is part of another character.
 * What is no JSON at all is for the parser to say.
 */
export const findJsonExcess = (bytes: Uint8Array, { mostDepth, mostValues }: JsonBounds): JsonExcess | undefined => {
  let depth = 0
  let values = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (inString) {
      if (byte === 0x5c) index++
      else if (byte === 0x22) inString = false
      continue
    }
    if (byte === 0x22) inString = true
    else if (byte === 0x5b || byte === 0x7b) {
      depth++
      values++
      if (depth > mostDepth) return { index, sentence: `Nesting deeper than ${mostDepth} levels` }
    } else if (byte === 0x5d || byte === 0x7d) depth--
    else if (byte === 0x2c || byte === 0x3a) values++
    if (values > mostValues) return { index, sentence: `More than ${mostValues} keys and values` }
  }
  return undefined
}
