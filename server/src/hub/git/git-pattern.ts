/** A pattern of .gitattributes or .gitignore: does it mean this path of the repository? With no effort left it means none. */
export type GitPattern = (path: string, effort: Effort) => boolean

/** Steps that may still be taken for one list of files. Two patterns take fifty for a file; hostile ones never end. */
export interface Effort {
  left: number
}

/** Tens of milliseconds, and a second for a list of a hundred thousand. */
export const allowEffort = (fileCount: number): Effort => ({
  left: Math.min(5_000_000 + 1000 * fileCount, 100_000_000),
})

/** Longer ones are written by nobody; what a pattern costs grows with its length. */
const longestPattern = 200

/**
 * As git reads them: without a slash the name in any folder is meant, otherwise the path from the top; `**` is any number of folders.
 * Undefined where it can match no file, or is too long. Matched without regular expressions, whose time hostile patterns make endless.
 */
export function compileGitPattern(pattern: string): GitPattern | undefined {
  if (pattern === '' || pattern.endsWith('/') || pattern.length > longestPattern) return undefined
  if (!pattern.includes('/')) {
    const name = compileSegment(pattern)
    return (path, effort) => matchSegment(name, path.slice(path.lastIndexOf('/') + 1), effort)
  }
  const parts = pattern.replace(/^\//, '').split('/')
  // What is inside of a folder, and not the folder itself.
  if (parts.at(-1) === '**') parts.push('*')
  const wanted = parts.map((part) => (part === '**' ? anyFolders : compileSegment(part)))
  return (path, effort) => matchAcross(wanted, path.split('/'), (part) => part === anyFolders, matchSegment, effort)
}

type Token = 'star' | ((char: string) => boolean)
type Segment = readonly Token[]

const anyFolders: Segment = ['star']

function matchSegment(segment: Segment, text: string, effort: Effort): boolean {
  effort.left -= text.length
  if (effort.left <= 0) return false
  return matchAcross(segment, [...text], isStar, (token, char) => token !== 'star' && token(char), effort)
}

const isStar = (token: Token): boolean => token === 'star'

/** Wildcards first take nothing and then one more each time the rest does not fit; only the last one is ever tried again. */
function matchAcross<Wanted, Given>(
  wanted: readonly Wanted[],
  given: readonly Given[],
  isWildcard: (one: Wanted) => boolean,
  fits: (one: Wanted, other: Given, effort: Effort) => boolean,
  effort: Effort,
): boolean {
  let [at, place] = [0, 0]
  let retry: { at: number; place: number } | undefined
  while (place < given.length) {
    if (effort.left-- <= 0) return false
    const one = wanted[at]
    if (one !== undefined && isWildcard(one)) {
      retry = { at, place }
      at++
    } else if (one !== undefined && fits(one, given[place] as Given, effort)) {
      at++
      place++
    } else if (retry) {
      retry.place++
      at = retry.at + 1
      place = retry.place
    } else return false
  }
  return wanted.slice(at).every(isWildcard)
}

function compileSegment(text: string): Segment {
  const tokens: Token[] = []
  const chars = [...text]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string
    if (char === '*') {
      if (tokens.at(-1) !== 'star') tokens.push('star')
    } else if (char === '?') tokens.push(() => true)
    else if (char === '[') {
      const end = chars.indexOf(']', /[!^]/.test(chars[at + 1] ?? '') ? at + 3 : at + 2)
      if (end === -1) tokens.push((given) => given === '[')
      else {
        tokens.push(compileSet(chars.slice(at + 1, end)))
        at = end
      }
    } else {
      const meant = char === '\\' ? (chars[++at] ?? '\\') : char
      tokens.push((given) => given === meant)
    }
  }
  return tokens
}

/** `a-z`, `!0-9`. */
function compileSet(chars: readonly string[]): (char: string) => boolean {
  const isNegated = chars[0] === '!' || chars[0] === '^'
  const members = isNegated ? chars.slice(1) : chars
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const first = members[at] as string
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([first, isRange ? (members[at + 2] as string) : first])
    if (isRange) at += 2
  }
  return (char) => ranges.some(([first, last]) => first <= char && char <= last) !== isNegated
}
