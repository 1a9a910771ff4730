import type {
  CreateVersion,
  DerivedDatasetVersion,
  MergeSource,
  PreviewMerge,
  Recipe,
  SourceMap,
} from '@nmp/sdk/generated/records'

/** A dataset or version that is merged with the draft's own. */
export interface OtherSource {
  dataset_kind: MergeSource['dataset_kind']
  dataset_id: string
  /** What it was called when it was added. */
  title: string
  /** Of the dataset that a version was made of, when that version is changed; absent where it is what the dataset shows. */
  pinned?: { revision_id: string; revision_number: number } | undefined
  /** Applied to it before its map. */
  recipe: Recipe | null
  map: SourceMap
  weight: number | null
  sample: number | null
  /** That ranges without a number in common are of one unit. */
  isUnitConfirmed: boolean
}

/** What makes a draft one of several sources. Its own dataset is the first, with the recipe of the draft. */
export interface MergeDraft {
  own: { map: SourceMap; weight: number | null; sample: number | null }
  others: OtherSource[]
  seed: number
  taskWeights: Record<string, number> | null
  /** How many episodes of a task are drawn; all of one that is not named. */
  taskSamples: Record<string, number> | null
}

export const emptyMerge: MergeDraft = {
  own: { map: {}, weight: null, sample: null },
  others: [],
  seed: 0,
  taskWeights: null,
  taskSamples: null,
}

/** As a stored draft has it; what is no merge counts as none. */
export function readMerge(stored: unknown): MergeDraft | null {
  if (typeof stored !== 'object' || stored === null || !('others' in stored) || !Array.isArray(stored.others))
    return null
  const draft = stored as Partial<MergeDraft>
  return stored.others.length > 0 ? { ...emptyMerge, ...draft, own: { ...emptyMerge.own, ...draft.own } } : null
}

type Source = Pick<MergeSource, 'dataset_kind' | 'dataset_id'>

const tidy = (map: SourceMap): { map?: SourceMap } => (Object.keys(map).length > 0 ? { map } : {})

export const asSource = ({ dataset_kind, dataset_id, pinned, recipe }: OtherSource): MergeSource => ({
  dataset_kind,
  dataset_id,
  ...(pinned && { revision_id: pinned.revision_id }),
  ...(recipe && { recipe }),
})

/** The request for all of them, without the name of the version. */
export function writeMerge(
  source: Source,
  recipe: Recipe,
  { own, others, seed, taskWeights, taskSamples }: MergeDraft,
): PreviewMerge {
  const hasSample = own.sample !== null || taskSamples !== null || others.some(({ sample }) => sample !== null)
  return {
    sources: [
      {
        ...source,
        recipe,
        ...tidy(own.map),
        ...(own.weight !== null && { weight: own.weight }),
        ...(own.sample !== null && { sample: own.sample }),
      },
      ...others.map((other) => ({
        ...asSource(other),
        ...tidy(other.map),
        ...(other.weight !== null && { weight: other.weight }),
        ...(other.sample !== null && { sample: other.sample }),
        ...(other.isUnitConfirmed && { confirm: ['units' as const] }),
      })),
    ],
    ...(hasSample && { seed }),
    ...(taskWeights && { task_weights: taskWeights }),
    ...(taskSamples && { task_samples: taskSamples }),
  }
}

/** What a version is made of, in the words of the request. */
export const writeSources = (
  source: Source,
  recipe: Recipe,
  merge: MergeDraft | null,
): Pick<CreateVersion, 'source' | 'recipe' | 'sources' | 'seed' | 'task_weights' | 'task_samples'> =>
  merge ? writeMerge(source, recipe, merge) : { source, recipe }

export const changeOther = (merge: MergeDraft, place: number, change: Partial<OtherSource>): MergeDraft => ({
  ...merge,
  others: merge.others.map((other, at) => (at === place ? { ...other, ...change } : other)),
})

/** Without one of the others; a draft whose last one goes is of one source again. */
export function removeOther(merge: MergeDraft, place: number): MergeDraft | null {
  const others = merge.others.filter((_, at) => at !== place)
  return others.length > 0 ? { ...merge, others, taskWeights: null, taskSamples: null } : null
}

export type Weighing = 'none' | 'source' | 'task'

export const getWeighing = ({ own, others, taskWeights }: MergeDraft): Weighing =>
  taskWeights ? 'task' : own.weight !== null || others.some(({ weight }) => weight !== null) ? 'source' : 'none'

/** Where one source or task has a weight all have one; those of the other kind go. */
export function weighBy(merge: MergeDraft, weighing: Weighing, tasks: readonly string[]): MergeDraft {
  const weight = weighing === 'source' ? 1 : null
  return {
    ...merge,
    own: { ...merge.own, weight },
    others: merge.others.map((other) => ({ ...other, weight })),
    taskWeights: weighing === 'task' ? Object.fromEntries(tasks.map((task) => [task, 1])) : null,
  }
}

/** The result is one robot: every source is told so. */
export const setRobotType = (merge: MergeDraft, robotType: string | null): MergeDraft => ({
  ...merge,
  own: { ...merge.own, map: { ...merge.own.map, robot_type: robotType } },
  others: merge.others.map((other) => ({ ...other, map: { ...other.map, robot_type: robotType } })),
})

/** Of the first source: a camera that the result does without. */
export function leaveOutOwnCamera(merge: MergeDraft, camera: string, isOut: boolean): MergeDraft {
  const { cameras, ...map } = merge.own.map
  const { [camera]: _, ...kept } = cameras ?? {}
  const next = isOut ? { ...kept, [camera]: null } : kept
  return { ...merge, own: { ...merge.own, map: Object.keys(next).length > 0 ? { ...map, cameras: next } : map } }
}

export const listOwnLeftOut = ({ own }: MergeDraft): ReadonlySet<string> =>
  new Set(Object.entries(own.map.cameras ?? {}).flatMap(([name, ours]) => (ours === null ? [name] : [])))

/** A version in the form of a draft, to be changed. */
export function readVersion({ recipe, sources, seed, task_weights, task_samples }: DerivedDatasetVersion): {
  recipe: Recipe
  merge: MergeDraft | null
} {
  const [first, ...others] = sources ?? []
  if (!first) return { recipe, merge: null }
  return {
    recipe: first.recipe ?? recipe,
    merge: {
      own: { map: first.map, weight: first.weight, sample: first.sample },
      others: others.map((other) => ({
        dataset_kind: other.dataset_kind,
        dataset_id: other.dataset_id,
        title: other.title,
        // A version never changes; a dataset may have other revisions since.
        pinned:
          other.dataset_kind === 'version'
            ? undefined
            : { revision_id: other.revision_id, revision_number: other.revision_number },
        recipe: other.recipe,
        map: other.map,
        weight: other.weight,
        sample: other.sample,
        isUnitConfirmed: other.confirm.includes('units'),
      })),
      seed: seed ?? 0,
      taskWeights: task_weights ?? null,
      taskSamples: task_samples ?? null,
    },
  }
}
