import { type CameraFeature, type ColumnFeature, type Feature, isCamera, isNumericDtype } from '@nmp/formats/feature'
import { SplitTally } from '@nmp/formats/splits'
import { annotationsPath } from '@nmp/formats/steps/annotate'
import { describeOptions, type TargetSettings } from '@nmp/formats/writers/target-options'
import type { OtherContents } from '@nmp/formats/writers/writer'
import type { Context } from '../context.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import { planChain } from '../versions/chain.ts'
import { deriveTasks } from '../versions/derive/derive-tasks.ts'
import { joinEstimates, tarBytesPerFile } from '../versions/estimate.ts'
import type { Version } from '../versions/service.ts'
import { type Target, targets } from '../versions/targets.ts'
import { listBesideLosses } from './beside-target.ts'
import { selectFilesBeside } from './files-beside.ts'
import { createFrameTrials } from './frame-trials.ts'
import { asValidation, type OptionsByKey, readSettings } from './target-settings.ts'
import { estimateVersion, openVersionSource, type SourcePart, type VersionSourceModel } from './version-source.ts'

/** Two empty blocks after the last file. */
const tarEndBytes = 1024

/** What each form of an export would be for this version, with the options given and the usual ones beside them. */
export async function previewTargets(context: Context, version: Version, given: OptionsByKey = {}) {
  const source = await openVersionSource(context, version)
  const { roles } = source.result
  const wishes = targets.map((target) => ({ target, settings: readSettings(target, given[target.artifactKey], roles) }))
  const { estimate, ...facts } = await describeFacts(context, source)
  const contents = describeContents(source)
  const beside = listBesideLosses(await listFilesBeside(context, source))
  return wishes.map(({ target, settings }) =>
    asValidation(() => {
      const frames = createFrameTrials(context, source, facts)
      const { sizeBytes, fileCount } = target.estimate({ ...facts, findFrameBytes: frames.find }, settings)
      return {
        key: target.artifactKey,
        title: target.title,
        readers: target.readers,
        options: describeOptions(target.options, roles),
        losses: [
          ...target.listLosses(facts.features, settings),
          ...(target.listOtherLosses?.(contents) ?? []),
          ...(target.artifactKey === 'lerobot' ? [] : beside),
        ],
        estimated_bytes: Math.round(sizeBytes + countTarBytes(target, fileCount)),
        estimate: joinEstimates([{ estimate }, ...frames.estimates]),
        estimated_files: fileCount,
      }
    }),
  )
}

/** Of the version's own form they are counted with its files. */
const countTarBytes = ({ artifactKey }: Target, fileCount: number): number =>
  artifactKey === 'lerobot' ? 0 : fileCount * tarBytesPerFile + tarEndBytes

/** For the quota, before anything is written: no frame is tried for it. */
export async function estimateTarget(
  context: Context,
  source: VersionSourceModel,
  target: Target,
  settings: TargetSettings,
): Promise<number> {
  return target.estimate(await describeFacts(context, source), settings).sizeBytes
}

async function describeFacts(context: Context, source: VersionSourceModel) {
  const { episodeCount, frameCount, features: merged, roles } = source.result
  const { bytes, estimate, videoBytes, rowsBytes } = await estimateVersion(context, source)
  const features = merged ?? listFeatures(source.parts[0])
  return {
    ...{ features, roles, episodeCount, frameCount, storedBytes: bytes, estimate, rowsBytes },
    videoBytes: merged ? divideEvenly(videoBytes, merged) : videoBytes,
  }
}

/** Sources may call a camera something else than the result does. */
function divideEvenly(videoBytes: ReadonlyMap<string, number>, features: readonly Feature[]): Map<string, number> {
  const videos = features.filter(isCamera).filter(({ storage }) => storage === 'video')
  const sum = [...videoBytes.values()].reduce((total, bytes) => total + bytes, 0)
  return new Map(videos.map(({ name }) => [name, sum / videos.length]))
}

/** Paths of the files of the sources that the version's own form takes along; of several sources each has a folder. */
async function listFilesBeside({ db }: Context, { parts, merge }: VersionSourceModel): Promise<string[]> {
  const paths: string[] = []
  for (const [place, { revision }] of parts.entries()) {
    const stored = await Array.fromAsync(listRevisionFiles(db, revision.id, revision.orgId))
    for (const { path } of selectFilesBeside(stored, [])) paths.push(merge ? `sources/${place}/${path}` : path)
  }
  return paths
}

/** What is known of episodes' tasks, their splits and of annotations before anything is written. */
function describeContents({ parts }: VersionSourceModel): OtherContents {
  let [severalTasks, position] = [0, 0]
  const splits = new SplitTally()
  const sidecars = new Set<string>()
  for (const { model, links } of parts) {
    const last = links.at(-1)
    if (!last) continue
    const { source, plan } = planChain(model, links.slice(0, -1), last)
    const { taskStarts } = deriveTasks(source, plan, last.annotations).columns
    for (let episode = 0; episode + 1 < taskStarts.length; episode++)
      if ((taskStarts[episode + 1] as number) - (taskStarts[episode] as number) > 1) severalTasks++
    for (const episode of plan.episodes) splits.add(position++, source.listSplitsOf(episode))
    if (links.some(({ annotations }) => annotations)) sidecars.add(annotationsPath)
  }
  return { severalTasks, splits, sidecars }
}

const bookkeeping = ['timestamp', 'frame_index', 'episode_index', 'index', 'task_index']

/** The features of the version as writers know them. */
function listFeatures({ model, plan }: SourcePart): Feature[] {
  const stored = model.manifest.features.filter(({ name }) => !bookkeeping.includes(name))
  const wanted = plan.features ?? stored.map(({ name }) => ({ source: name, name, dimensions: undefined }))
  const columns = wanted.flatMap(({ source, name, dimensions }): ColumnFeature[] => {
    const entry = stored.find((feature) => feature.name === source)
    if (!entry) return []
    const { dtype } = entry
    if (dtype !== 'string' && dtype !== 'language' && !isNumericDtype(dtype)) return []
    return [{ kind: 'column', name, dtype, shape: dimensions ? [dimensions.length] : entry.shape, names: null }]
  })
  const cameras = plan.cameras.map(({ camera, name, width, height }): CameraFeature => {
    const { storage, channels } = camera
    const depth = { minMeters: 0, maxMeters: 1, shift: 0, logarithmic: false, unit: 'm' } as const
    return { kind: 'camera', name, storage, width, height, channels, info: {}, ...(camera.depth_map && { depth }) }
  })
  return [...columns, ...cameras]
}
