import { FormatError } from '../errors.ts'
import { type Feature, isCamera, isPlainName } from '../feature.ts'

/** Before anything is written: files of a camera lie in a folder of its name, wherever that would lead. */
export function requireCameraNames(features: readonly Feature[]): void {
  for (const { name } of features.filter(isCamera))
    if (!isPlainName(name))
      throw new FormatError(
        'path_refused',
        `The camera ${JSON.stringify(name.slice(0, 200))} cannot be the name of a folder. Give it another by a recipe.`,
      )
}
