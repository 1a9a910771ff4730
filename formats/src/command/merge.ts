import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Dataset } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { type FileTree, openFolder } from '../file-tree.ts'
import { isObject, type JsonObject, type JsonValue, parseJson } from '../json.ts'
import { openDataset } from '../layouts/index.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import { drawEpisodes } from '../merge/draw.ts'
import { type MergeInput, mergeDatasets } from '../merge/merge-datasets.ts'
import type { FeatureRange } from '../merge/plan-map.ts'
import { readSourceMap } from '../merge/read-map.ts'
import { readRecipe } from '../merge/read-recipe.ts'
import { suggestMaps } from '../merge/suggest-map.ts'
import { applyRecipe, type RecipeSteps } from '../steps/recipe.ts'
import { apply as selectEpisodes } from '../steps/select-episodes.ts'
import { type LeRobotV3Options, write } from '../writers/lerobot-v3/writer.ts'
import type { ProgressBar } from './progress-bar.ts'
import { formatBytes, formatCount, formatDuration, formatFindings } from './text.ts'

export interface MergeFlags {
  readonly json: boolean
  /** A file with `{"seed": …, "sources": [{"map": …, "recipe": …, "confirm": ["units"], "weight": …, "sample": …}, …]}`, in the order of the paths. */
  readonly map: string | undefined
  readonly videoCodec: 'av1' | 'h264'
  readonly links: 'inside' | 'anywhere'
}

interface OpenedInput {
  readonly path: string
  readonly dataset: Dataset
  readonly ranges: ReadonlyMap<string, FeatureRange>
}

/** Several folders as one dataset. The last path is where it goes. */
export async function merge(
  paths: readonly string[],
  options: OpenOptions,
  flags: MergeFlags,
  bar: ProgressBar,
): Promise<number> {
  const [target, folders] = [paths.at(-1), paths.slice(0, -1)]
  if (target === undefined || folders.length === 0)
    throw new FormatError('unsupported', 'Name the datasets and the target folder: nmp-formats merge PATH PATH OUT.')
  const startedAt = performance.now()
  const { seed, sources } = await readSaid(flags.map, folders.length)
  const opened = await openAll(folders, options, flags)
  try {
    const inputs = opened.map(({ dataset, path, ranges }, place): MergeInput => {
      const { map, confirm, weight, recipe, steps, sample } = sources[place] ?? {}
      const told = { datasetId: path, revision: '', recipe: recipe ?? null, map: (map ?? null) as JsonValue }
      const drawn = sample ? drawSample(dataset, steps ?? {}, { count: sample, seed, place }) : steps
      const made = drawn ? applyRecipe(dataset, drawn) : dataset
      return { dataset: made, title: path, said: told, map, confirm, ranges, weight }
    })
    const writing: LeRobotV3Options = {
      videoCodec: flags.videoCodec,
      cameraStatistics: 'carry',
      ...(options.signal && { signal: options.signal }),
      ...(options.onProgress && { onProgress: options.onProgress }),
    }
    const { episodeCount, frameCount, files, findings } = await write(await mergeDatasets(inputs), target, writing)
    bar.clear()
    if (flags.json)
      console.log(
        JSON.stringify({ folder: target, episodes: episodeCount, frames: frameCount, files, findings }, null, 2),
      )
    else {
      const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      console.log(formatFindings(findings))
      console.log(
        `${target}: ${formatCount(episodeCount, 'episode')}, ${formatCount(frameCount, 'frame')}, ${formatCount(files.length, 'file')}, ${formatBytes(bytes)}, in ${formatDuration((performance.now() - startedAt) / 1000)}.`,
      )
    }
    return 0
  } finally {
    for (const { dataset } of opened) await dataset.close()
  }
}

/** What `--map` could hold: likely names of the first dataset for those of the others, and what each guess rests on. */
export async function suggest(
  paths: readonly string[],
  options: OpenOptions,
  flags: MergeFlags,
  bar: ProgressBar,
): Promise<number> {
  const opened = await openAll(paths, options, flags)
  try {
    const suggested = suggestMaps(
      opened.map(({ dataset, path, ranges }) => {
        const { fps, robotType, features } = dataset
        return { title: path, fps, robotType, features, ranges, tasks: listTasks(dataset) }
      }),
    )
    bar.clear()
    const sources = suggested.map(({ map, rows }, place) => ({ path: paths[place], map, rows }))
    console.log(JSON.stringify({ sources }, null, 2))
    return 0
  } finally {
    for (const { dataset } of opened) await dataset.close()
  }
}

function listTasks(dataset: Dataset): string[] {
  const texts = new Set<string>()
  for (let position = 0; position < dataset.episodeCount; position++)
    for (const text of dataset.getEpisode(position).tasks) texts.add(text)
  return [...texts]
}

async function openAll(paths: readonly string[], options: OpenOptions, { links }: MergeFlags): Promise<OpenedInput[]> {
  const opened: OpenedInput[] = []
  try {
    for (const path of paths) {
      const tree = await openFolder(path, { links })
      const ranges = await readRanges(tree)
      opened.push({ path, dataset: await openDataset(tree, options), ranges })
    }
    return opened
  } catch (error) {
    for (const { dataset } of opened) await dataset.close()
    throw error
  }
}

/** `path` and `rows` are what a suggestion says of a source. */
const keysOfSource = ['map', 'recipe', 'weight', 'sample', 'confirm', 'path', 'rows']

async function readSaid(path: string | undefined, count: number) {
  if (path === undefined) return { seed: 0, sources: [] }
  const { value } = parseJson(await readFile(resolve(path), 'utf8'), path)
  const { sources, seed = 0 } = isObject(value) ? value : {}
  if (!Array.isArray(sources) || sources.length !== count)
    throw new FormatError('unsupported', `${path} has no list of ${count} sources, one for each dataset.`)
  if (!isWhole(seed)) throw new FormatError('unsupported', `seed of ${path} must be a whole number, 0 or above.`)
  const read = sources.map((source, place) => {
    const entry: JsonObject = isObject(source) ? source : {}
    const wrong = Object.keys(entry).find((key) => !keysOfSource.includes(key))
    if (wrong !== undefined)
      throw new FormatError(
        'unsupported',
        `sources.${place} of ${path} has no key ${wrong}: there are ${keysOfSource.join(', ')}.`,
      )
    const recipe = entry.recipe ?? undefined
    const steps = recipe === undefined ? undefined : readRecipe(recipe, `sources.${place}.recipe of ${path}`)
    const confirm = Array.isArray(entry.confirm) ? entry.confirm.map(String) : undefined
    const weight = entry.weight ?? undefined
    if (weight !== undefined && !(typeof weight === 'number' && weight > 0))
      throw new FormatError('unsupported', `sources.${place}.weight of ${path} must be a number above 0.`)
    const sample = entry.sample ?? undefined
    if (sample !== undefined && !(isWhole(sample) && sample > 0))
      throw new FormatError('unsupported', `sources.${place}.sample of ${path} must be a number of episodes.`)
    const map = readSourceMap(entry.map ?? {}, `sources.${place}.map of ${path}`)
    return { weight, recipe, steps, map, confirm, sample }
  })
  return { seed, sources: read }
}

const isWhole = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0

/** The recipe with as many of its episodes as are wanted: those that the service draws. */
function drawSample(
  dataset: Dataset,
  steps: RecipeSteps,
  { count, seed, place }: { count: number; seed: number; place: number },
): RecipeSteps {
  const numbered = {
    ...dataset,
    getEpisode: (position: number) => ({ ...dataset.getEpisode(position), sourceIndex: position }),
  }
  const chosen = selectEpisodes(numbered, steps['select-episodes'] ?? {})
  if (count > chosen.episodeCount)
    throw new FormatError(
      'unsupported',
      `sources.${place}.sample is ${count}, and the source has ${formatCount(chosen.episodeCount, 'such episode')}.`,
    )
  const all = Array.from({ length: chosen.episodeCount }, (_, position) => {
    return { place, episode: chosen.getEpisode(position).sourceIndex }
  })
  const selected = drawEpisodes(all, count, seed).map(({ episode }) => episode)
  return { ...steps, 'select-episodes': { selected } }
}

/** As meta/stats.json tells them; nothing where there is none. */
async function readRanges(tree: FileTree): Promise<Map<string, FeatureRange>> {
  const ranges = new Map<string, FeatureRange>()
  if (!(await tree.find('meta/stats.json'))) return ranges
  const { value } = parseJson(await readFile(await tree.locate('meta/stats.json'), 'utf8'), 'meta/stats.json')
  for (const [name, entry] of Object.entries(isObject(value) ? value : {})) {
    if (!isObject(entry)) continue
    const [min, max] = [entry.min, entry.max].map((side) =>
      Array.isArray(side) && side.every((number) => typeof number === 'number') ? (side as number[]) : undefined,
    )
    if (min && max) ranges.set(name, { min, max })
  }
  return ranges
}
