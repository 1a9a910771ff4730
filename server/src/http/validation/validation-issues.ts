import type { ValidationIssue } from '../../errors.ts'

/** Where a check stands in the request and what it has found so far. `loc` is one stack for the whole walk: copied only into an issue. */
export interface Trail {
  loc: (string | number)[]
  issues: ValidationIssue[]
}

/** What a check answers for a value it has reported. */
export const invalid: unique symbol = Symbol('invalid')

/** Reads a raw value, reports what is wrong with it, and answers the value as the handler gets it. Never throws. */
export type Check = (input: unknown, trail: Trail) => unknown

/** FastAPI has no bound here; a list of a million wrong items would be answered with a hundred megabytes. */
const maxIssues = 1000
/** Each missing field repeats its whole parent as `input`, so a body of 16 MiB could be sent back many times over. */
const maxInputCharacters = 256 * 1024

export const report = (
  trail: Trail,
  type: string,
  msg: string,
  input: unknown,
  ctx?: Record<string, unknown>,
): typeof invalid => {
  if (trail.issues.length < maxIssues) {
    const issue: ValidationIssue = { type, loc: [...trail.loc], msg, input }
    if (ctx !== undefined) issue.ctx = ctx
    trail.issues.push(issue)
  }
  return invalid
}

/** Runs a check one step further down. */
export const checkAt = (check: Check, key: string | number, input: unknown, trail: Trail): unknown => {
  trail.loc.push(key)
  const value = check(input, trail)
  trail.loc.pop()
  return value
}

/** So many issues that the rest is not looked at: what is wrong a million times costs no more than what is wrong a thousand times. */
export const isEnough = ({ issues }: Trail): boolean => issues.length >= maxIssues

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The characters that `value` takes as JSON, roughly; stops counting at `limit`. */
const measure = (value: unknown, limit: number): number => {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  for (const [key, element] of Object.entries(value)) {
    if (size >= limit) break
    size += key.length + 4 + measure(element, limit - size)
  }
  return size
}

/** Leaves out the `input` of issues once the answer would hold more than `maxInputCharacters` of them. */
export const boundInputs = (issues: ValidationIssue[]): ValidationIssue[] => {
  let left = maxInputCharacters
  return issues.map((issue) => {
    const size = measure(issue.input, left)
    if (size > left) return { ...issue, input: undefined }
    left -= size
    return issue
  })
}
