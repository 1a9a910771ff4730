import { FormatError } from '../errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import type { SourceMap } from './source-map.ts'

const keysOfMap = ['cameras', 'features', 'tasks', 'robot_type']
const keysOfFeature = ['from', 'dimensions', 'names', 'unit', 'fill']

/** A map as somebody wrote it into a file; `name` is what sentences call it. */
export function readSourceMap(value: JsonValue, name: string): SourceMap {
  const refuse = (place: string, sentence: string): never => {
    throw new FormatError('unsupported', `${name}${place === '' ? '' : `.${place}`} ${sentence}.`)
  }
  const take = (entry: JsonValue | undefined, place: string, keys?: readonly string[]): JsonObject => {
    if (!isObject(entry ?? {})) refuse(place, 'must be an object')
    const wrong = Object.keys(entry ?? {}).find((key) => keys && !keys.includes(key))
    if (wrong !== undefined) refuse(place, `has no key ${wrong}: there are ${keys?.join(', ')}`)
    return (entry ?? {}) as JsonObject
  }
  const isText = (entry: JsonValue | undefined): boolean => typeof entry === 'string'
  const areTexts = (entry: JsonValue | undefined): boolean => Array.isArray(entry) && entry.every(isText)
  const isUnit = (entry: JsonValue): boolean => areTexts(entry) && (entry as JsonValue[]).length === 2
  const map = take(value, '', keysOfMap)
  for (const [key, ours] of Object.entries(take(map.cameras, 'cameras')))
    if (ours !== null && !isText(ours)) refuse(`cameras.${key}`, 'must be a name or null')
  for (const [key, ours] of Object.entries(take(map.tasks, 'tasks')))
    if (!isText(ours)) refuse(`tasks.${key}`, 'must be a text')
  if (map.robot_type !== undefined && map.robot_type !== null && !isText(map.robot_type))
    refuse('robot_type', 'must be a text or null')
  for (const [key, entry] of Object.entries(take(map.features, 'features'))) {
    if (entry === null) continue
    const place = `features.${key}`
    const { from, dimensions, names, unit, fill } = take(entry, place, keysOfFeature)
    if (from !== undefined && !isText(from)) refuse(`${place}.from`, 'must be a name')
    if (dimensions !== undefined && !areTexts(dimensions)) refuse(`${place}.dimensions`, 'must be a list of names')
    if (names !== undefined && !areTexts(names)) refuse(`${place}.names`, 'must be a list of names')
    if (unit !== undefined && !isUnit(unit) && !(isObject(unit) && Object.values(unit).every(isUnit)))
      refuse(`${place}.unit`, 'must be two units, or two units for each dimension')
    const isConstant =
      ['number', 'boolean', 'string'].includes(typeof fill) ||
      (Array.isArray(fill) && fill.every((number) => typeof number === 'number'))
    if (fill !== undefined && !isConstant) refuse(`${place}.fill`, 'must be a constant')
  }
  return map as SourceMap
}
