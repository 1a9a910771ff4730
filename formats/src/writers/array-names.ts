import { type CameraFeature, type Feature, isCamera } from '../feature.ts'

/**
 * What arrays are called where a name is also a Python attribute or a module of PyTorch, which take no dots: without
 * `observation.` and `images.`, dots as underscores; a second one of the same name gets a number.
 */
export class ArrayNames {
  readonly #taken: Set<string>

  constructor(reserved: readonly string[] = []) {
    this.#taken = new Set(reserved)
  }

  /** `suffixes` are the words by which readers tell pictures and distances from numbers. */
  choose(feature: Feature, suffixes: { readonly picture: string; readonly depth: string }, prefix = ''): string {
    const short = feature.name.replace(/^observation\.(images?\.)?/, '').replaceAll(/[./]/g, '_')
    const wanted = prefix + (isCamera(feature) ? addSuffix(short, feature, suffixes) : short)
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}_${number}`
    this.#taken.add(name)
    return name
  }
}

function addSuffix(name: string, { depth }: CameraFeature, suffixes: { picture: string; depth: string }): string {
  const suffix = depth ? suffixes.depth : suffixes.picture
  return name.endsWith(suffix) ? name : name + suffix
}
