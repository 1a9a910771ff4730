/** What a source says of its robot and its work, under the names that writers of robot data use for it. */
import type { StatedFacts } from '../dataset.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Hdf5Source } from './hdf5/source.ts'

const maxLength = 200
const maxUriLength = 2000

const keys = {
  workName: ['work_name'],
  embodiment: ['embodiment', 'embodiment_tag'],
  robotDescriptionUri: ['robot_description_uri', 'robot_description', 'urdf', 'urdf_path', 'urdf_file', 'robot_urdf'],
} as const

const attributeNames = Object.values(keys).flat()

/** The first of the objects that says a thing counts. A text of several lines is the description itself, and no way to it. */
export function readStated(...holders: readonly (JsonValue | undefined)[]): StatedFacts {
  const find = (names: readonly string[], most: number): string | undefined => {
    for (const holder of holders)
      for (const name of names) {
        const text = isObject(holder) ? takeName(holder[name], most) : undefined
        if (text !== undefined) return text
      }
    return undefined
  }
  const workName = find(keys.workName, maxLength)
  const embodiment = find(keys.embodiment, maxLength)
  const uri = find(keys.robotDescriptionUri, maxUriLength)
  return {
    ...(workName === undefined ? {} : { workName }),
    ...(embodiment === undefined ? {} : { embodiment }),
    ...(uri === undefined || /\s/.test(uri) ? {} : { robotDescriptionUri: uri }),
  }
}

/** A name of one line, or undefined. */
export function takeName(value: JsonValue | undefined, most = maxLength): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.length > most || text.includes('\n') ? undefined : text
}

/** The environment, as simulators call the work. */
export function nameWork(value: JsonValue | undefined): StatedFacts {
  const workName = takeName(value)
  return workName === undefined ? {} : { workName }
}

/** Attributes of a group of an HDF5 file, those that may say something. */
export function listAttributes({ tree }: Hdf5Source, path: string): JsonObject {
  const found: JsonObject = {}
  for (const name of attributeNames) {
    const value = tree.findAttribute(path, name)
    if (value !== undefined) found[name] = value
  }
  return found
}

/** `"Panda"` or `["Panda", "Panda"]`, as robosuite names its robots. */
export function nameRobots(value: JsonValue | undefined): string | undefined {
  const names = (Array.isArray(value) ? value : [value])
    .map((name) => takeName(name))
    .filter((name) => name !== undefined)
  return names.length === 0 ? undefined : takeName(names.join(' + '))
}
