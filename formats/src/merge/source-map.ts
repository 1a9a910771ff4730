import type { JsonValue } from '../json.ts'

/** How the names, dimensions and units of one source become those of a merged dataset. */
export interface SourceMap {
  /** By their camera: ours, or null where it is left out. */
  readonly cameras?: Readonly<Record<string, string | null>>
  /** By our feature: what it is made of; null leaves it out of the result. */
  readonly features?: Readonly<Record<string, FeatureMap | null>>
  /** By their task text: ours. `*` is any other text. */
  readonly tasks?: Readonly<Record<string, string>>
  readonly robot_type?: string | null
}

export type UnitChange = readonly [from: string, to: string]

export interface FeatureMap {
  /** Their feature; of the same name where absent. */
  readonly from?: string
  /** Their dimensions in our order; fewer of them select. */
  readonly dimensions?: readonly string[]
  /** What we call those dimensions. */
  readonly names?: readonly string[]
  /** Of all dimensions, or by our name of a dimension. */
  readonly unit?: UnitChange | Readonly<Record<string, UnitChange>>
  /** Instead of `from`: the constant that stands in every row, or one number a dimension. */
  readonly fill?: number | boolean | string | readonly number[]
}

/** Something that makes a merge impossible, at its place below `sources`. */
export interface MergeFault {
  readonly path: readonly (string | number)[]
  /** A clause without its full stop. */
  readonly sentence: string
  readonly input: JsonValue
}

/** The task texts of an episode after the mapping. */
export const mapTask = (text: string, tasks: SourceMap['tasks'] = {}): string =>
  Object.hasOwn(tasks, text) ? (tasks[text] as string) : (tasks['*'] ?? text)

interface Unit {
  readonly kind: 'angle' | 'length' | 'share'
  readonly size: number
}

const units: Readonly<Record<string, Unit>> = {
  rad: { kind: 'angle', size: 1 },
  deg: { kind: 'angle', size: Math.PI / 180 },
  m: { kind: 'length', size: 1 },
  cm: { kind: 'length', size: 0.01 },
  mm: { kind: 'length', size: 0.001 },
  fraction: { kind: 'share', size: 1 },
  percent: { kind: 'share', size: 0.01 },
}

const unitNames: readonly string[] = Object.keys(units)

/** What numbers of the first unit are multiplied by to be in the second; a sentence where there is no such factor. */
export function findFactor([from, to]: UnitChange): number | string {
  const [before, after] = [units[from], units[to]]
  const unknown = before ? to : from
  if (!before || !after) return `there is no unit ${unknown}: use one of ${unitNames.join(', ')}`
  if (before.kind !== after.kind)
    return `${from} cannot become ${to}: one is ${describe(before)}, the other ${describe(after)}`
  // By these very divisions, so that numbers are those of anybody's radians() and degrees().
  if (from === to) return 1
  return from === 'rad' && to === 'deg' ? 180 / Math.PI : before.size / after.size
}

const describe = ({ kind }: Unit): string =>
  kind === 'angle' ? 'an angle' : kind === 'length' ? 'a length' : 'a share'
