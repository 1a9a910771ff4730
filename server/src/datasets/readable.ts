import type { Dataset } from '@nmp/formats/dataset'
import type { Context } from '../context.ts'
import type { ReadModelPlace } from './read-model/cache.ts'
import type { SeenDataset } from './seen-dataset.ts'

/** A revision of something that is read like a dataset, for addresses whose signature showed a right to it. */
export interface ReadableRevision {
  dataset: { id: string; slug: string; visibility: 'public' | 'private'; projectId: string }
  revision: ReadModelPlace
  /** Everybody may read it. */
  isPublic: boolean
}

/**
 * A kind of thing that every route of a dataset reads by its id although it is no row of `datasets`: versions. Kinds are registered in
 * app.ts, so that datasets do not know them.
 */
export interface ReadableKind {
  /** How its ids begin. */
  prefix: string
  /** As a person may see it, or everybody; undefined where it is not there for them. */
  find(context: Context, userId: string | undefined, id: string): Promise<SeenDataset | undefined>
  /** Of these, what everybody may see, each as everybody sees it. */
  listPublic(context: Context, ids: readonly string[]): Promise<SeenDataset[]>
  /** All of it as `formats` reads any dataset, its files laid out in `folder`, which is the caller's own. */
  openData(context: Context, id: string, folder: string, signal: AbortSignal): Promise<Dataset>
  findRevision(context: Context, id: string, revisionId: string): Promise<ReadableRevision | undefined>
}

export const findReadableKind = ({ readables }: Pick<Context, 'readables'>, id: string): ReadableKind | undefined =>
  readables.find(({ prefix }) => id.startsWith(prefix))
