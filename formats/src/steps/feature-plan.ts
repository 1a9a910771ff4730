import type { NumericDtype } from '../feature.ts'

/** What a recipe does to features, by the source's names. */
export interface FeatureSettings {
  readonly drop?: readonly string[]
  /** Old name to new name. */
  readonly rename?: ReadonlyMap<string, string>
  /** Names of the dimensions that a vector keeps, in their new order. */
  readonly dimensions?: ReadonlyMap<string, readonly string[]>
}

export interface DescribedFeature {
  readonly name: string
  /** The names of a vector's dimensions; null for everything else. */
  readonly labels: readonly string[] | null
}

/** A feature of the result: what it was called, is called, and which of its dimensions are left (all if absent). */
export interface PlannedFeature {
  readonly source: string
  readonly name: string
  readonly dimensions?: readonly number[]
  /** What its dimensions are called, where that is not what they were. */
  readonly names?: readonly string[]
  /** What the numbers of each dimension are multiplied by. */
  readonly factors?: readonly number[]
  /** A wider type, which holds every number of its own. */
  readonly dtype?: NumericDtype
}

export interface FeatureFault {
  readonly path: readonly (string | number)[]
  /** A clause without its full stop. */
  readonly sentence: string
  readonly input: unknown
}

/** LeRobot's five columns count rows and tasks, and its loader puts the task's text into every frame. */
const obligatory: readonly string[] = ['timestamp', 'frame_index', 'episode_index', 'index', 'task_index']
export const reserved: readonly string[] = [...obligatory, 'task']

/** The features of the result in the source's order; undefined where nothing changes. */
export function planFeatures(
  features: readonly DescribedFeature[],
  { drop = [], rename, dimensions }: FeatureSettings,
): PlannedFeature[] | undefined {
  const dropped = new Set(drop)
  const plan = features
    .filter(({ name }) => !dropped.has(name))
    .map(({ name: source, labels }): PlannedFeature => {
      const name = rename?.get(source) ?? source
      const wanted = dimensions?.get(source)?.map((label) => labels?.indexOf(label) ?? -1)
      const isWhole = !wanted || (wanted.length === labels?.length && wanted.every((place, at) => place === at))
      return { source, name, ...(wanted && !isWhole && { dimensions: wanted }) }
    })
  const isSame = plan.every(({ source, name, dimensions: picked }) => source === name && !picked)
  return isSame && plan.length === features.length ? undefined : plan
}

/** Everything that makes the settings impossible, at its place in them. */
export function findFeatureFaults(
  features: readonly DescribedFeature[],
  { drop = [], rename = new Map(), dimensions = new Map() }: FeatureSettings,
): FeatureFault[] {
  const faults: FeatureFault[] = []
  const dropped = new Set(drop)
  const names = features.map(({ name }) => name)
  const requireFeature = (name: string, path: FeatureFault['path'], input: unknown): boolean => {
    const sentence = obligatory.includes(name)
      ? `${name} is obligatory: LeRobot's loaders count frames by it`
      : !names.includes(name)
        ? `there is no feature ${name}: the dataset has ${names.join(', ') || 'none'}`
        : dropped.has(name) && path[0] !== 'drop'
          ? `${name} is dropped`
          : undefined
    if (sentence) faults.push({ path, sentence, input })
    return sentence === undefined
  }
  for (const [place, name] of drop.entries()) requireFeature(name, ['drop', place], name)
  if (names.length > 0 && names.every((name) => dropped.has(name)))
    faults.push({ path: ['drop'], sentence: 'no feature is left: every one is dropped', input: drop })
  const taken = new Map(names.filter((name) => !dropped.has(name) && !rename.has(name)).map((name) => [name, name]))
  for (const [name, target] of rename) {
    if (!requireFeature(name, ['rename', name], target)) continue
    const holder = reserved.includes(target) ? target : taken.get(target)
    if (holder !== undefined)
      faults.push({ path: ['rename', name], sentence: describeTaken(target, holder), input: target })
    taken.set(target, name)
  }
  for (const [name, labels] of dimensions) {
    if (!requireFeature(name, ['dimensions', name], labels)) continue
    const own = features.find((feature) => feature.name === name)?.labels
    if (own) faults.push(...findDimensionFaults(name, own, labels))
    else
      faults.push({
        path: ['dimensions', name],
        sentence: `${name} is not a vector of numbers, so it has no dimensions to choose from`,
        input: labels,
      })
  }
  return faults
}

function describeTaken(target: string, holder: string): string {
  if (reserved.includes(target)) return `the name ${target} is taken: LeRobot's loaders use it themselves`
  return holder === target
    ? `the name ${target} is taken: drop or rename the feature that has it`
    : `the name ${target} is taken: ${holder} is renamed to it as well`
}

export function findDimensionFaults(name: string, own: readonly string[], wanted: readonly string[]): FeatureFault[] {
  return wanted.flatMap((label, place) => {
    const count = own.filter((other) => other === label).length
    const sentence =
      count === 0
        ? `${name} has no dimension ${label}: it has ${own.join(', ')}`
        : count > 1
          ? `${name} has ${count} dimensions called ${label}, so the name does not say which`
          : wanted.indexOf(label) !== place
            ? `the dimension ${label} is named twice`
            : undefined
    return sentence ? [{ path: ['dimensions', name, place], sentence, input: label }] : []
  })
}
