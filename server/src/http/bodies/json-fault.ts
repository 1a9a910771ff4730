/** Where a text stops being JSON, as an index of UTF-16 units, and Python's sentence about it. */
export interface JsonFault {
  index: number
  sentence: string
}

/** The end of what was read, or the fault. */
type Scan = number | JsonFault

const fault = (index: number, sentence: string): JsonFault => ({ index, sentence })

const skipSpace = (text: string, start: number): number => {
  let index = start
  while (index < text.length && ' \t\n\r'.includes(text.charAt(index))) index++
  return index
}

const hexDigits = /[0-9a-fA-F]{4}/y

const scanString = (text: string, start: number): Scan => {
  let index = start + 1
  while (index < text.length) {
    const character = text.charAt(index)
    if (character === '"') return index + 1
    if (character < ' ') return fault(index, 'Invalid control character at')
    if (character !== '\\') {
      index++
      continue
    }
    const escaped = text.charAt(index + 1)
    if (escaped === '') break
    if (escaped === 'u') {
      hexDigits.lastIndex = index + 2
      if (index + 6 >= text.length || !hexDigits.test(text)) return fault(index + 1, 'Invalid \\uXXXX escape')
      index += 6
    } else if ('"\\/bfnrt'.includes(escaped)) index += 2
    else return fault(index, 'Invalid \\escape')
  }
  return fault(start, 'Unterminated string starting at')
}

const scanArray = (text: string, start: number): Scan => {
  let index = skipSpace(text, start + 1)
  if (text.charAt(index) === ']') return index + 1
  while (true) {
    const end = scanValue(text, index)
    if (typeof end !== 'number') return end
    index = skipSpace(text, end)
    if (text.charAt(index) === ']') return index + 1
    if (text.charAt(index) !== ',') return fault(index, "Expecting ',' delimiter")
    index = skipSpace(text, index + 1)
  }
}

const scanObject = (text: string, start: number): Scan => {
  let index = skipSpace(text, start + 1)
  if (text.charAt(index) === '}') return index + 1
  while (true) {
    if (text.charAt(index) !== '"') return fault(index, 'Expecting property name enclosed in double quotes')
    const endOfKey = scanString(text, index)
    if (typeof endOfKey !== 'number') return endOfKey
    index = skipSpace(text, endOfKey)
    if (text.charAt(index) !== ':') return fault(index, "Expecting ':' delimiter")
    const end = scanValue(text, skipSpace(text, index + 1))
    if (typeof end !== 'number') return end
    index = skipSpace(text, end)
    if (text.charAt(index) === '}') return index + 1
    if (text.charAt(index) !== ',') return fault(index, "Expecting ',' delimiter")
    index = skipSpace(text, index + 1)
  }
}

const scalar = /null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

const scanValue = (text: string, start: number): Scan => {
  const character = text.charAt(start)
  if (character === '"') return scanString(text, start)
  if (character === '{') return scanObject(text, start)
  if (character === '[') return scanArray(text, start)
  scalar.lastIndex = start
  return scalar.test(text) ? scalar.lastIndex : fault(start, 'Expecting value')
}

/**
 * Reads a text that `JSON.parse` refused the way CPython 3.12's decoder does, for its words and position. Recursion is bounded by
 * the depth check of `parseJsonBody`.
 */
export const findJsonFault = (text: string): JsonFault => {
  const end = scanValue(text, skipSpace(text, 0))
  return typeof end === 'number' ? fault(skipSpace(text, end), 'Extra data') : end
}
