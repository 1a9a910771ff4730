import type { JsonObject } from '@nmp/formats/json'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import type { BlobOwner } from '../storage/repository.ts'
import type { ReadModel } from './read-model/model.ts'

/** Where the files of a dataset lie in the store: under the paths that the dataset gives them, behind a prefix. */
export interface FilesPlace {
  owner: BlobOwner
  prefix: string
}

/** What is made of a revision on demand is kept beside it, while it is there. */
export interface PicturesPlace {
  owner: BlobOwner
  prefix: string
  /** Whether it is there still; it stays until the transaction ends. */
  hold(trx: Transaction): Promise<boolean>
}

/** Of what is read like a revision of a dataset: a version, before and after its export. */
export interface RevisionContent {
  /** What frames and rows are read from: its own files, or those of what it is derived from. */
  files: FilesPlace
  /** Its own files, once there are any; until then `missing` says why not. */
  own: FilesPlace | null
  missing: string | null
  /** Makes its read model; absent where that is stored beside the files. */
  deriveModel?: (context: Context) => Promise<ReadModel>
  /** Measures the statistics of its features, as the manifest of a stored read model holds them; null of what cannot be known yet. */
  measureFeatures?: (context: Context) => Promise<Record<string, JsonObject | null>>
  pictures: PicturesPlace
}

/** A revision as readers need it. */
export interface RevisionPlace {
  id: string
  orgId: string
  /** Absent for a revision of a dataset. */
  content?: RevisionContent | undefined
}

export const locateFiles = ({ id, orgId, content }: RevisionPlace): FilesPlace =>
  content?.files ?? { owner: { kind: 'revision', id, orgId }, prefix: 'dataset/' }
