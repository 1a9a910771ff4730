import type { Dataset } from '../dataset.ts'

/** What a recipe does to a dataset: lazily, so a chain of steps costs nothing until a writer reads blocks. */
export interface Step<Settings> {
  readonly name: string
  apply(dataset: Dataset, settings: Settings): Dataset
}
