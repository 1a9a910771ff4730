import { describeCause } from '../../errors.ts'

/** What DuckDB says, as a sentence part of ours: its words speak of casts, and a person has rows and columns. */
const wordings: readonly [RegExp, (match: RegExpExecArray) => string][] = [
  [
    /Cannot cast list with length (\d+) to array with length (\d+)/,
    ([, found, wanted]) => `a row has ${found} values where ${wanted} are declared`,
  ],
  [
    /Could not convert string '(.{0,40}?)'? to '?(\w+)/,
    ([, text, type]) => `it has the text "${text}" where a number (${type}) is declared`,
  ],
  [
    /(?:Unimplemented type for cast|Unsupported cast|Cannot cast).*?\(?(\w[\w[\]]*) (?:->|to) (\w[\w[\]]*)/,
    ([, found, wanted]) => `it stores ${found} where ${wanted} is declared`,
  ],
  [
    /Type (\w+) with value (\S+) can't be cast/,
    ([, type, value]) => `the value ${value} (${type}) does not fit the declared type`,
  ],
]

export function describeDuckDb(cause: unknown): string {
  const said = describeCause(cause)
  for (const [pattern, say] of wordings) {
    const match = pattern.exec(said)
    if (match) return say(match)
  }
  // `Invalid Input Error: `: which kind of error of DuckDB's it is helps nobody.
  return said.replace(/^(?:[A-Z]\w+ )+Error: /, '').replace(/\.$/, '')
}
