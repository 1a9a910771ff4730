/** A dataset out of HDF5 files of one family. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlockRequest, Dataset, Episode } from '../../dataset.ts'
import { describeCause, FormatError, NoEpisodesError } from '../../errors.ts'
import { isCamera, isColumn } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import { Findings } from '../../finding.ts'
import type { JsonValue } from '../../json.ts'
import { defaultSplits } from '../../splits.ts'
import type { Layout, OpenOptions } from '../layout.ts'
import { listAttributes, readStated } from '../stated-facts.ts'
import { readBlocks } from './blocks.ts'
import { readAhead } from './blocks-ahead.ts'
import { Hdf5Catalog, type Hdf5Entry } from './catalog.ts'
import { type Hdf5Files, takeHdf5Files } from './files.ts'
import { openFrames } from './frames.ts'
import type { FilePlan, Hdf5Family, NamedSplit, StatedRate } from './plan.ts'
import { readPathSplit } from './splits.ts'

/** A family as a layout of the registry; `findFamily` says which family a tree's first readable file belongs to. */
export function createHdf5Layout(
  family: Hdf5Family,
  findFamily: (tree: FileTree) => Promise<Hdf5Family | undefined>,
): Layout {
  return {
    name: family.name,
    detect: async (tree) => (await findFamily(tree)) === family,
    open: (tree, options) => openHdf5Dataset(tree, family, options),
  }
}

async function openHdf5Dataset(tree: FileTree, family: Hdf5Family, options: OpenOptions): Promise<Dataset> {
  const files = await takeHdf5Files(tree, options)
  try {
    return await planDataset(files, family, options)
  } catch (error) {
    await files.close()
    throw error
  }
}

async function planDataset(files: Hdf5Files, family: Hdf5Family, options: OpenOptions): Promise<Dataset> {
  const findings = new Findings()
  const catalog = new Hdf5Catalog(findings)
  let first: FilePlan | undefined
  for (const [index, path] of files.paths.entries()) {
    options.signal?.throwIfAborted()
    const plan = await planFile(files, path, family, findings)
    catalog.addSplits(path, plan?.splits ?? (plan ? [] : nameLost(path)))
    for (const episode of plan?.episodes ?? []) catalog.add(index, episode)
    if (plan && plan.episodes.length > 0) first ??= plan
    if (first && plan) noteOtherRate(findings, first.fps, plan.fps, path)
    options.onProgress?.({ phase: 'files', done: index + 1, total: files.paths.length })
  }
  const { features, entries, namesSplits } = catalog.finish()
  if (!first || entries.length === 0 || features.length === 0) {
    const reason = findings.list.find(({ severity }) => severity === 'error')?.sentence
    const sentence = `No usable episode was found. ${reason ?? 'The files contain no time series.'}`
    throw new NoEpisodesError(sentence, findings.list, catalog.found.episodes, catalog.found.count)
  }
  const fps = chooseRate(options, first.fps, family, findings)
  const columns = features.filter(isColumn).map(({ name }) => name)
  const scratch = createScratch()
  const close = async () => {
    await files.close()
    await scratch.remove()
  }
  const readRows = (entry: Hdf5Entry, request: BlockRequest) => {
    const isWanted = (name: string) => columns.includes(name) && (request.columns?.includes(name) ?? true)
    const plans = entry.template.columns.filter(({ name }) => isWanted(name))
    return readBlocks(files, entry, plans, request)
  }
  // Another file would have to be opened between the reads of this one's pictures.
  const readWhole = readAhead(
    (position, request) => readRows(entries[position] as Hdf5Entry, request),
    (position) => entries[position]?.file === entries[position + 1]?.file,
  )
  const details: Record<string, JsonValue> = { ...first.details, files: files.paths.length }
  return {
    origin: { layout: family.name, version: 'hdf5', details },
    fps,
    robotType: first.robotType ?? null,
    stated: first.stated ?? {},
    features,
    episodeCount: entries.length,
    frameCount: entries.reduce((sum, { length }) => sum + length, 0),
    findings: findings.list,
    getEpisode: (position) => {
      const entry = entries[position]
      if (!entry) throw new RangeError(`there is no episode at position ${position}`)
      return createEpisode(entry, position)
    },
    close,
    [Symbol.asyncDispose]: close,
  }

  function createEpisode(entry: Hdf5Entry, position: number): Episode {
    return {
      sourceIndex: entry.sourceIndex,
      sourceId: entry.sourceId,
      length: entry.length,
      tasks: [entry.task],
      splits: namesSplits ? entry.splits : defaultSplits,
      readBlocks: ({ startFrame = 0, endFrame = entry.length, ...request } = {}) =>
        startFrame === 0 && endFrame === entry.length
          ? readWhole(position, request)
          : readRows(entry, { ...request, startFrame, endFrame }),
      openCamera: async (name) => {
        const camera = entry.template.cameras.find((plan) => plan.name === name)
        if (!camera || !features.some((feature) => isCamera(feature) && feature.name === name)) {
          throw new FormatError('unsupported', `There is no camera ${name}.`)
        }
        return openFrames({ files, entry, camera, findings, createScratchPath: scratch.createPath })
      },
    }
  }
}

/** What a file that is left out held is not known, but the folder it lies in may say which split loses it. */
const nameLost = (path: string): NamedSplit[] => readPathSplit(path).map((name) => ({ name, missing: [path] }))

/** A file that cannot be read is left out and named; only when none is left is the import refused. */
async function planFile(
  files: Hdf5Files,
  path: string,
  family: Hdf5Family,
  findings: Findings,
): Promise<FilePlan | undefined> {
  try {
    const source = await files.openSource(path)
    if (source.tree.skippedLinks > 0) {
      findings.addOnce('links-skipped', `${path}: ${source.tree.skippedLinks} soft links are not followed.`)
    }
    if (family.recognize(source)) {
      const plan = await family.plan(source)
      const attributes = readStated(listAttributes(source, '/'), listAttributes(source, '/data'))
      return { ...plan, stated: { ...attributes, ...plan.stated } }
    }
    findings.add('file-layout-differs', `${path} is left out: its layout is not ${family.name}.`)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    if (files.paths.length === 1) throw error
    findings.add('file-unreadable', `${path} is left out: ${describeCause(error)}`)
  }
  return undefined
}

function noteOtherRate(findings: Findings, first: StatedRate | undefined, own: StatedRate | undefined, path: string) {
  if (!first || !own || Math.round(first.value) === Math.round(own.value)) return
  findings.add(
    'fps-rounded',
    `${path} runs at ${own.value} frames per second; the first file's ${first.value} is used.`,
  )
}

function chooseRate(
  options: OpenOptions,
  stated: StatedRate | undefined,
  family: Hdf5Family,
  findings: Findings,
): number {
  if (options.fps !== undefined) return options.fps
  if (!stated) {
    findings.add(
      'assumed',
      `No frame rate is stored; 30 is assumed for ${family.name}. Set the option fps to change it.`,
    )
    return 30
  }
  if (stated.isAssumed) {
    findings.add(
      'assumed',
      `No frame rate is stored; ${stated.value} is assumed (${stated.from}). Set the option fps to change it.`,
    )
  } else findings.add('stated', `${stated.value} frames per second, from ${stated.from}.`)
  const whole = Math.max(1, Math.round(stated.value))
  if (whole !== stated.value) {
    findings.add('fps-rounded', `The frame rate ${stated.value} is not a whole number; ${whole} is used.`)
  }
  return whole
}

function createScratch() {
  let folder: Promise<string> | undefined
  let count = 0
  return {
    createPath: async () => {
      folder ??= mkdtemp(join(tmpdir(), 'nmp-hdf5-'))
      return join(await folder, `${count++}.mp4`)
    },
    remove: async () => {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}
