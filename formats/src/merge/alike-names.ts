/** Words that laboratories use for the same thing; the first stands for all. */
const synonyms: readonly (readonly string[])[] = [
  ['top', 'above', 'overhead', 'ceiling', 'bird', 'topdown'],
  ['wrist', 'hand', 'gripper', 'eef', 'eye'],
  ['front', 'head', 'main', 'primary', 'scene', 'agentview', 'exterior', 'external'],
  ['side', 'lateral'],
  ['state', 'qpos', 'proprio', 'position', 'positions'],
  ['action', 'actions', 'command', 'target', 'ctrl'],
  ['reward', 'rewards'],
]
/** Words that say nothing about which one it is. */
const empty = new Set([
  'observation',
  'observations',
  'images',
  'image',
  'cam',
  'camera',
  'rgb',
  'joint',
  'joints',
  'pos',
  'motor',
  'main',
  'next',
])

const standFor = (word: string): string => synonyms.find((group) => group.includes(word))?.[0] ?? word

const listWords = (name: string): string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** What is left of a name when words are dropped that every laboratory adds in its own way. */
export function reduceName(name: string): string {
  const words = listWords(name)
  const telling = words.filter((word) => !empty.has(word))
  return (telling.length > 0 ? telling : words).map(standFor).join(' ')
}

export interface AlikeName {
  readonly name: string
  readonly reason: string
}

/** The one name that says the same in other words; none where several do. */
export function findAlike(name: string, others: readonly string[]): AlikeName | undefined {
  const reduced = reduceName(name)
  const same = others.filter((other) => reduceName(other) === reduced)
  const [found] = same
  if (found !== undefined && same.length === 1) return { name: found, reason: `${found} says the same in other words` }
  const words = new Set(reduced.split(' '))
  const sharing = others.filter((other) =>
    reduceName(other)
      .split(' ')
      .some((word) => words.has(word)),
  )
  const [only] = sharing
  if (only === undefined || sharing.length > 1) return undefined
  return { name: only, reason: `${only} is the only one with a word in common` }
}
