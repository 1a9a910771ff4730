import { maxValuesPerFrame } from '../../containers/parquet/parquet.ts'
import type { StatedFacts } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import {
  type CameraFeature,
  countValues,
  type DepthScale,
  type Feature,
  isNumericDtype,
  isPlainName,
} from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { isObject, type JsonObject, type JsonValue, parseJson, readText } from '../../json.ts'
import { readStated } from '../stated-facts.ts'
import { type DeclaredSplits, readDeclaredSplits } from './splits.ts'

/** meta/info.json of any LeRobot version, with its oddities read and reported. */
export interface LeRobotInfo {
  readonly version: string
  readonly fps: number
  readonly robotType: string | null
  readonly stated: StatedFacts
  readonly features: readonly SourceFeature[]
  readonly totalEpisodes: number
  readonly totalFrames: number
  /** Undefined where info.json names none. */
  readonly splits: DeclaredSplits | undefined
  readonly chunksSize: number
  readonly dataPath: string
  readonly videoPath: string
}

export interface SourceFeature {
  readonly feature: Feature
  /** The key in info.json, where the feature's own name had to change. */
  readonly sourceName: string
}

/** Columns that count rows and episodes; every version has them, and the writer makes them anew. */
export const bookkeeping = ['timestamp', 'frame_index', 'episode_index', 'index', 'task_index'] as const

const infoPath = 'meta/info.json'
const maxFeatures = 2000
const maxFps = 10_000
/** Of a number in the name of a file; no counter has more. */
const maxDigits = 20

/** The version as written, or undefined when this is no LeRobot folder. */
export async function findVersion(tree: FileTree): Promise<string | undefined> {
  if (!(await tree.find(infoPath))) return undefined
  const { value } = parseJson(await readText(tree, infoPath), infoPath)
  const version = isObject(value) ? value.codebase_version : undefined
  return typeof version === 'string' ? version : undefined
}

export async function readInfo(tree: FileTree, findings: Findings): Promise<LeRobotInfo> {
  const text = await readText(tree, infoPath)
  const { value, nonFiniteCount } = parseJson(text, infoPath)
  if (nonFiniteCount > 0)
    findings.add('json-not-finite', `${infoPath} contains ${nonFiniteCount} NaN or Infinity; read as null.`)
  if (!isObject(value)) throw invalid('it is not a JSON object')
  if (!isObject(value.features)) throw invalid('"features" is missing')
  const entries = Object.entries(value.features)
  if (entries.length > maxFeatures) throw invalid(`it declares more than ${maxFeatures} features`)
  const names = new Set<string>()
  const features = entries
    .filter(([name]) => !(bookkeeping as readonly string[]).includes(name))
    .map(([name, entry]) => readFeature(name, entry, names, findings))
    .filter((feature) => feature !== undefined)
  const totalEpisodes = readCount(value.total_episodes) ?? 0
  return {
    version: typeof value.codebase_version === 'string' ? value.codebase_version : '',
    fps: readFps(value.fps, text, findings),
    robotType: typeof value.robot_type === 'string' ? value.robot_type : null,
    stated: readStated(value),
    features,
    totalEpisodes,
    totalFrames: readCount(value.total_frames) ?? 0,
    splits: readDeclaredSplits(value.splits, totalEpisodes, findings),
    chunksSize: readCount(value.chunks_size) || 1000,
    dataPath: typeof value.data_path === 'string' ? value.data_path : '',
    videoPath: typeof value.video_path === 'string' ? value.video_path : '',
  }
}

/** Fills a Python format template such as `data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet`. */
export function fillTemplate(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)(?::0?(\d+)d)?\}/g, (whole, key: string, width: string | undefined) => {
    const entry = values[key]
    if (entry === undefined) throw invalid(`the path template ${JSON.stringify(template)} has an unknown part ${whole}`)
    return typeof entry === 'number' ? String(entry).padStart(Math.min(Number(width ?? 0), maxDigits), '0') : entry
  })
}

function readFps(fps: JsonValue | undefined, text: string, findings: Findings): number {
  if (typeof fps !== 'number' || !(fps > 0) || fps > maxFps) throw invalid('"fps" must be a number above 0')
  const rounded = Math.max(1, Math.round(fps))
  if (rounded !== fps)
    findings.add(
      'fps-rounded',
      `fps is ${fps}; LeRobot v3 needs a whole number, ${rounded} is used and all times are rebuilt.`,
    )
  else if (/"fps"\s*:\s*\d+\.\d/.test(text))
    findings.add('fps-fractional', `fps is written as a float; read as ${rounded}.`)
  return rounded
}

function readFeature(
  sourceName: string,
  entry: JsonValue,
  taken: Set<string>,
  findings: Findings,
): SourceFeature | undefined {
  const unsupported = (why: string): undefined =>
    findings.add('feature-unsupported', `Feature ${sourceName} is dropped: ${why}.`) as undefined
  const name = sourceName.replaceAll('/', '_')
  if (name !== sourceName) findings.add('feature-name-slash', `Feature ${sourceName} is renamed ${name}.`)
  if (taken.has(name) || name === '') return unsupported('its name is empty or used twice')
  const isFolder = isObject(entry) && (entry.dtype === 'video' || entry.dtype === 'image')
  if (isFolder && !isPlainName(name)) return unsupported('its name cannot be that of a folder')
  if (!isObject(entry) || typeof entry.dtype !== 'string') return unsupported('it has no dtype')
  const shape = Array.isArray(entry.shape) ? entry.shape : [1]
  if (!shape.every((size) => typeof size === 'number' && Number.isInteger(size) && size > 0)) {
    return unsupported(`its shape ${JSON.stringify(shape).slice(0, 80)} is not a list of sizes above 0`)
  }
  const sizes = shape.length === 0 ? [1] : (shape as number[])
  taken.add(name)
  const { dtype } = entry
  if (dtype === 'video' || dtype === 'image')
    return { sourceName, feature: readCamera(name, dtype, sizes, entry, findings) }
  if (dtype !== 'string' && dtype !== 'language' && !isNumericDtype(dtype))
    return unsupported(`dtype ${dtype} is not known`)
  if (sizes.length > 5) return unsupported(`it has ${sizes.length} dimensions; LeRobot allows five`)
  if (countValues(sizes) > maxValuesPerFrame)
    return unsupported(`it has more than ${maxValuesPerFrame} numbers per frame`)
  if (sizes.length > 1)
    findings.add(
      'array-feature',
      `Feature ${name} has ${sizes.length} dimensions; lerobot's own edit tools fail on such features.`,
    )
  if (dtype === 'language')
    findings.add('language-present', `Feature ${name} holds language annotations; carried through.`)
  return {
    sourceName,
    feature: {
      kind: 'column',
      name,
      dtype,
      shape: dtype === 'string' || dtype === 'language' ? [1] : sizes,
      names: checkNames(name, entry.names ?? null, sizes[0] ?? 1, findings),
    },
  }
}

/** The names, or null where they do not fit. */
function checkNames(name: string, names: JsonValue, size: number, findings: Findings): JsonValue {
  if (names === null) return null
  let inner: JsonValue | undefined = names
  let depth = 0
  while (
    depth < 8 &&
    typeof inner === 'object' &&
    inner !== null &&
    !(Array.isArray(inner) && inner.every((item) => typeof item === 'string'))
  ) {
    inner = Object.values(inner)[0]
    depth++
  }
  if (!Array.isArray(inner) || inner.length !== size) {
    findings.add('names-mismatch', `The names of ${name} do not fit its ${size} dimensions; index labels are used.`)
    return null
  }
  if (depth > 0) findings.add('names-nested', `The names of ${name} are nested; the inner list is used.`)
  return names
}

function readCamera(
  name: string,
  dtype: 'video' | 'image',
  shape: readonly number[],
  entry: JsonObject,
  findings: Findings,
): CameraFeature {
  const names = Array.isArray(entry.names) ? entry.names : []
  const isChannel = (label: JsonValue | undefined) => typeof label === 'string' && label.startsWith('channel')
  const isFirst = isChannel(names[0]) || (!isChannel(names[2]) && (shape[0] ?? 0) <= 4 && (shape[2] ?? 0) > 4)
  if (isFirst) findings.add('shape-channel-first', `Camera ${name} is declared channels first.`)
  if (names.length !== 3 || !names.some(isChannel))
    findings.add('camera-names-unusual', `Camera ${name} lacks the names height, width, channels.`)
  const [height = 0, width = 0, channels = 3] = isFirst ? [shape[1], shape[2], shape[0]] : shape
  const legacy = isObject(entry.video_info) ? entry.video_info : undefined
  if (legacy) findings.add('video-info-legacy', `Camera ${name} has its facts under video_info.`)
  const info = isObject(entry.info) ? entry.info : (legacy ?? {})
  const depth = readDepth(name, info, findings)
  return { kind: 'camera', name, storage: dtype, width, height, channels, info, ...(depth && { depth }) }
}

function readDepth(name: string, info: JsonObject, findings: Findings): DepthScale | undefined {
  const isLegacy = info['video.is_depth_map'] === true && info.is_depth_map === undefined
  if (isLegacy) findings.add('depth-marker-legacy', `Camera ${name} is marked as depth by video.is_depth_map.`)
  return isLegacy || info.is_depth_map === true ? readDepthScale(info) : undefined
}

/** How a camera's `info` says that depth is coded; LeRobot's own range where it does not say. */
export function readDepthScale(info: JsonObject): DepthScale {
  const number = (key: string, fallback: number) => (typeof info[key] === 'number' ? info[key] : fallback)
  return {
    minMeters: number('video.depth_min', 0.01),
    maxMeters: number('video.depth_max', 10),
    shift: number('video.shift', 3.5),
    logarithmic: info['video.use_log'] !== false,
    unit: info.depth_unit === 'm' ? 'm' : 'mm',
  }
}

function readCount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function invalid(why: string): FormatError {
  return new FormatError('metadata_invalid', `${infoPath} cannot be used: ${why}.`)
}
