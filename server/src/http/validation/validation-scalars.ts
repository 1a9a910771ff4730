import { type Check, invalid, plural, report, type Trail } from './validation-issues.ts'

export interface NumberBounds {
  'x-place'?: boolean
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
}

export interface StringBounds {
  minLength?: number
  maxLength?: number
  pattern?: string
}

const reportIllFormed = (trail: Trail, input: unknown): typeof invalid =>
  report(trail, 'string_unicode', 'Input should be a valid string, unable to parse raw data as a unicode string', input)

/** PostgreSQL refuses both NUL and lone surrogates with an error of its own; neither gets that far. */
export const checkStorableText = (input: string, trail: Trail): unknown => {
  if (!input.isWellFormed()) return reportIllFormed(trail, input)
  if (input.includes('\0'))
    return report(trail, 'value_error', 'Value error, NUL characters are not allowed', input, { error: {} })
  return input
}

/** Lengths count code points, as Python does; most strings are decided without counting. */
const countCharacters = (text: string): number => {
  let count = text.length
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) count--
  }
  return count
}

export const compileString = ({ minLength = 0, maxLength = Infinity, pattern }: StringBounds): Check => {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (input, trail) => {
    if (typeof input !== 'string') return report(trail, 'string_type', 'Input should be a valid string', input)
    if (!input.isWellFormed()) return reportIllFormed(trail, input)
    if (input.length > maxLength && countCharacters(input) > maxLength) {
      const msg = `String should have at most ${plural(maxLength, 'character')}`
      return report(trail, 'string_too_long', msg, input, { max_length: maxLength })
    }
    if (minLength > 0 && input.length < minLength * 2 && countCharacters(input) < minLength) {
      const msg = `String should have at least ${plural(minLength, 'character')}`
      return report(trail, 'string_too_short', msg, input, { min_length: minLength })
    }
    if (expression && !expression.test(input)) {
      return report(trail, 'string_pattern_mismatch', `String should match pattern '${pattern}'`, input, { pattern })
    }
    return checkStorableText(input, trail)
  }
}

const isSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000

/** Rust's `trim`, which pydantic uses: unlike JavaScript's it takes U+0085 and leaves U+FEFF. */
const trimSpace = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const formatBound = (bound: number): string => (Number.isInteger(bound) ? String(BigInt(bound)) : String(bound))

interface BrokenBound {
  type: string
  words: string
  key: string
  bound: number
}

const compileBounds = (bounds: NumberBounds): ((value: number, input: unknown, trail: Trail) => boolean) => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds
  const fail = (trail: Trail, input: unknown, { type, words, key, bound }: BrokenBound) => {
    report(trail, type, `Input should be ${words} ${formatBound(bound)}`, input, { [key]: bound })
    return false
  }
  return (value, input, trail) => {
    if (multipleOf !== undefined) {
      const remainder = Math.abs(value % multipleOf)
      const tolerance = Math.abs(value) / 1e9
      if (remainder > tolerance && Math.abs(remainder - multipleOf) > tolerance)
        return fail(trail, input, {
          type: 'multiple_of',
          words: 'a multiple of',
          key: 'multiple_of',
          bound: multipleOf,
        })
    }
    if (maximum !== undefined && value > maximum)
      return fail(trail, input, { type: 'less_than_equal', words: 'less than or equal to', key: 'le', bound: maximum })
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      return fail(trail, input, { type: 'less_than', words: 'less than', key: 'lt', bound: exclusiveMaximum })
    if (minimum !== undefined && value < minimum)
      return fail(trail, input, {
        type: 'greater_than_equal',
        words: 'greater than or equal to',
        key: 'ge',
        bound: minimum,
      })
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      return fail(trail, input, { type: 'greater_than', words: 'greater than', key: 'gt', bound: exclusiveMinimum })
    return true
  }
}

const reportInfinite = (trail: Trail, input: unknown): typeof invalid =>
  report(trail, 'finite_number', 'Input should be a finite number', input)

const reportOversized = (trail: Trail, input: unknown): typeof invalid =>
  report(trail, 'int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size', input)

const integerText = /^[+-]?[0-9]+(?:_[0-9]+)*(?:\.0+)?$/
/** Python refuses to read more digits than this. */
const maxDigits = 4300

const readInteger = (input: unknown, trail: Trail): number | typeof invalid => {
  if (typeof input === 'number') {
    if (!Number.isFinite(input)) return reportInfinite(trail, input)
    if (Number.isInteger(input)) return input
    const msg = 'Input should be a valid integer, got a number with a fractional part'
    return report(trail, 'int_from_float', msg, input)
  }
  if (typeof input === 'boolean') return Number(input)
  if (typeof input !== 'string') return report(trail, 'int_type', 'Input should be a valid integer', input)
  if (!input.isWellFormed()) return reportIllFormed(trail, input)
  const text = trimSpace(input)
  if (!integerText.test(text)) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer'
    return report(trail, 'int_parsing', msg, input)
  }
  const digits = text.replaceAll('_', '')
  if (digits.length > maxDigits && digits.replace(/^[+-]?0*/, '').replace(/\..*$/, '').length > maxDigits)
    return reportOversized(trail, input)
  return Number(digits)
}

/**
 * Beyond 2^53 a JavaScript number is no longer the one that was sent, so such integers are refused as pydantic refuses what it
 * cannot hold; a bound that is also broken is named first. A place in a list (`x-place`) is beyond its end either way.
 */
export const compileInteger = (bounds: NumberBounds): Check => {
  const isWithin = compileBounds(bounds)
  return (input, trail) => {
    const value = readInteger(input, trail)
    if (value === invalid || !isWithin(value, input, trail)) return invalid
    if (Number.isSafeInteger(value)) return value + 0
    return bounds['x-place'] && value > 0 ? Number.MAX_SAFE_INTEGER : reportOversized(trail, input)
  }
}

const floatText = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
const infiniteText = /^[+-]?(?:inf|infinity|nan)$/i
const misplacedUnderscore = /^_|__|_$/

const readFloat = (input: unknown, trail: Trail): number | typeof invalid => {
  if (typeof input === 'number') return input
  if (typeof input === 'boolean') return Number(input)
  if (typeof input !== 'string') return report(trail, 'float_type', 'Input should be a valid number', input)
  if (!input.isWellFormed()) return reportIllFormed(trail, input)
  const text = input.includes('_') && !misplacedUnderscore.test(input) ? input.replaceAll('_', '') : trimSpace(input)
  if (floatText.test(text)) return Number(text)
  if (infiniteText.test(text)) return Number.NaN
  const msg = 'Input should be a valid number, unable to parse string as a number'
  return report(trail, 'float_parsing', msg, input)
}

/** Only finite numbers (pydantic's `allow_inf_nan=False`): JSON has no others. */
export const compileFloat = (bounds: NumberBounds): Check => {
  const isWithin = compileBounds(bounds)
  return (input, trail) => {
    const value = readFloat(input, trail)
    if (value === invalid) return invalid
    if (!Number.isFinite(value)) return reportInfinite(trail, input)
    return isWithin(value, input, trail) ? value : invalid
  }
}

const truths = new Map<unknown, boolean>([
  ...['1', 'on', 't', 'true', 'y', 'yes', 1, true].map((word) => [word, true] as const),
  ...['0', 'off', 'f', 'false', 'n', 'no', 0, false].map((word) => [word, false] as const),
])

export const checkBoolean: Check = (input, trail) => {
  const value = truths.get(typeof input === 'string' ? input.toLowerCase() : input)
  if (value !== undefined) return value
  if (typeof input === 'string' && !input.isWellFormed()) return reportIllFormed(trail, input)
  if (typeof input === 'string' || Number.isInteger(input)) {
    return report(trail, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input', input)
  }
  return report(trail, 'bool_type', 'Input should be a valid boolean', input)
}

/** For JSON, which has words for both: nothing else is taken for one of them. */
export const checkStrictBoolean: Check = (input, trail) =>
  typeof input === 'boolean' ? input : report(trail, 'bool_type', 'Input should be a valid boolean', input)

export type LiteralValue = string | number | boolean | null

/** As Python's `repr` writes it: the words of the message. */
export const formatLiteral = (value: LiteralValue): string => {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  const escaped = value.replaceAll('\\', '\\\\')
  return value.includes("'") && !value.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`
}

export const compileLiteral = (values: readonly LiteralValue[], type: 'literal_error' | 'enum'): Check => {
  const allowed = new Set<unknown>(values)
  const words = values.map(formatLiteral)
  const last = words.pop() ?? ''
  const expected = words.length === 0 ? last : `${words.join(', ')} or ${last}`
  return (input, trail) => {
    if (allowed.has(input)) return input
    if (typeof input === 'string' && !input.isWellFormed()) return reportIllFormed(trail, input)
    return report(trail, type, `Input should be ${expected}`, input, { expected })
  }
}
