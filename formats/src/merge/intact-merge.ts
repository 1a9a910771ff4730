import type { Dataset, IntactData, IntactFile, IntactFiles, IntactVideo } from '../dataset.ts'
import { isCamera, isColumn } from '../feature.ts'
import type { MergePlan, PlannedSource } from './plan-merge.ts'

/** Many files that are smaller than this are joined by their packets: a file for each of a hundred small sources helps nobody. */
const worthKeepingBytes = 256 * 1024

/**
 * What a writer may take over without a look at rows and packets: video files whole, data files but for their numbers. `sources` are at
 * the rate of the result; `encoded` says of a camera which of them have to be encoded.
 */
export function findIntact(
  sources: readonly Dataset[],
  plan: MergePlan,
  encoded: (camera: string) => ReadonlySet<number>,
): IntactFiles | undefined {
  const videos = new Map<string, readonly IntactVideo[]>()
  for (const { name, storage } of plan.features.filter(isCamera)) {
    if (storage !== 'video' || encoded(name).size > 0) continue
    const files = sources.map(({ intact }, place) => intact?.videos.get(findSource(plan.sources[place], name)))
    const all = files.flatMap((own) => own ?? [])
    if (files.every((own) => own !== undefined) && isWorthKeeping(all)) videos.set(name, all)
  }
  const data = findIntactData(sources, plan)
  return data || videos.size > 0 ? { data, videos } : undefined
}

const findSource = (source: PlannedSource | undefined, name: string): string =>
  source?.planned.find((planned) => planned.name === name)?.source ?? name

const isWorthKeeping = (files: readonly IntactFile[]): boolean =>
  files.length < 2 || files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / files.length >= worthKeepingBytes

/** Undefined as soon as one column of one source is another than in the result. */
function findIntactData(
  sources: readonly Dataset[],
  { features, sources: planned }: MergePlan,
): IntactData | undefined {
  const rows = features.filter((feature) => isColumn(feature) || feature.storage === 'image')
  const files: IntactFile[] = []
  for (const [place, dataset] of sources.entries()) {
    const data = dataset.intact?.data
    const plan = planned[place]
    if (!data || data.isRenumbered || !plan || plan.fills.size > 0) return undefined
    const own = dataset.features.filter((feature) => isColumn(feature) || feature.storage === 'image')
    // Language rows name cameras, so that a renamed one changes them.
    const hasLanguage = own.some((feature) => isColumn(feature) && feature.dtype === 'language')
    if (hasLanguage && plan.planned.some(({ source, name }) => source !== name)) return undefined
    const isSame = (at: number): boolean => {
      const [theirs, ours] = [own[at], rows[at]]
      const how = plan.planned.find(({ name }) => name === ours?.name)
      if (!theirs || !ours || how?.source !== ours.name || theirs.name !== ours.name) return false
      if (how.dimensions || how.factors) return false
      return isColumn(theirs) && isColumn(ours) ? theirs.dtype === ours.dtype : theirs.kind === ours.kind
    }
    if (own.length !== rows.length || !own.every((_, at) => isSame(at))) return undefined
    files.push(...data.files)
  }
  return { files, tasks: [], isRenumbered: true }
}
