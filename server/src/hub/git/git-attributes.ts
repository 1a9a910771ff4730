import { allowEffort, compileGitPattern, type GitPattern } from './git-pattern.ts'

/** Which files are kept outside of git, where a repository says so itself; undefined where it says nothing of one. */
export type LargeFileRules = (path: string) => boolean | undefined

export const attributesPath = '.gitattributes'
export const ignorePath = '.gitignore'
/** The rest of a longer file, or of longer lists, is not read. */
export const largestRulesBytes = 64 * 1024
const mostPatterns = 100

/** Of `filter`: true is lfs, false none or another, null what holds without the line. */
type Effect = boolean | null

/**
 * The last line that says something of a file counts. Nearly all are `*.SUFFIX`, which are looked up by suffix: lists of 200,000 files
 * are told by sixty of them.
 */
export function readLargeFileRules(text: string, fileCount: number): LargeFileRules {
  const macros = new Map<string, Effect>()
  const suffixes = new Map<string, { effect: Effect; line: number }>()
  const others: { matches: GitPattern; effect: Effect; line: number }[] = []
  for (const [line, { pattern, words }] of splitLines(text).entries()) {
    const effect = readEffect(words, macros)
    if (effect === undefined) continue
    const macro = /^\[attr\](.+)$/.exec(pattern)?.[1]
    const suffix = /^\*(\.[^*?[\]\\/]+)$/.exec(pattern)?.[1]
    if (macro !== undefined) macros.set(macro, effect)
    else if (suffix !== undefined) suffixes.set(suffix, { effect, line })
    else if (others.length < mostPatterns && !pattern.startsWith('!')) {
      const matches = compileGitPattern(pattern)
      if (matches) others.unshift({ matches, effect, line })
    }
  }
  const effort = allowEffort(fileCount)
  return (path) => {
    let last: { effect: Effect; line: number } | undefined
    for (let dot = path.indexOf('.', path.lastIndexOf('/') + 1); dot !== -1; dot = path.indexOf('.', dot + 1)) {
      const found = suffixes.get(path.slice(dot))
      if (found && found.line > (last?.line ?? -1)) last = found
    }
    const other = others.find(({ line, matches }) => line > (last?.line ?? -1) && matches(path, effort))
    return (other ?? last)?.effect ?? undefined
  }
}

const splitLines = (text: string): { pattern: string; words: string[] }[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const quoted = /^"((?:[^"\\]|\\.)*)"(.*)$/.exec(line)
      const [, pattern = '', rest = ''] = quoted ?? /^(\S+)(.*)$/.exec(line) ?? []
      return { pattern: quoted ? pattern.replaceAll(/\\(["\\])/g, '$1') : pattern, words: rest.split(/\s+/) }
    })

function readEffect(words: readonly string[], macros: ReadonlyMap<string, Effect>): Effect | undefined {
  let effect: Effect | undefined
  for (const word of words) {
    if (word === '!filter') effect = null
    else if (word === '-filter' || word === 'filter' || word.startsWith('filter=')) effect = word === 'filter=lfs'
    else if (macros.has(word)) effect = macros.get(word)
  }
  return effect
}

/** Whether .gitignore leaves a path out: the last line that matches it, or a folder that it is in. */
export function readIgnoreRules(text: string, fileCount: number): (path: string) => boolean {
  const rules: { matches: GitPattern; isFolder: boolean; isIgnored: boolean }[] = []
  for (const line of text.split(/\r?\n/)) {
    const given = line.replace(/(?<!\\)\s+$/, '')
    if (given === '' || given.startsWith('#') || rules.length >= mostPatterns) continue
    const isIgnored = !given.startsWith('!')
    const pattern = isIgnored ? given : given.slice(1)
    const isFolder = pattern.endsWith('/')
    const matches = compileGitPattern(isFolder ? pattern.slice(0, -1) : pattern)
    if (matches) rules.unshift({ matches, isFolder, isIgnored })
  }
  const effort = allowEffort(fileCount)
  const decide = (path: string, isFile: boolean): boolean | undefined =>
    rules.find(({ matches, isFolder }) => !(isFolder && isFile) && matches(path, effort))?.isIgnored
  return (path) => {
    // What lies in a folder that is left out cannot be taken back, as in git.
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      if (decide(path.slice(0, slash), false)) return true
    return decide(path, true) ?? false
  }
}
