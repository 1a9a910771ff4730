import type { ProjectRole } from '../access/roles.ts'
import type { ReadModelPlace } from './read-model/cache.ts'
import type { PlacedDataset } from './repository.ts'
import type { RevisionContent } from './revision-content.ts'
import type { RevisionSummary } from './revision-summary.ts'

export type Dataset = PlacedDataset
/** The same without the revision it shows. */
export type DatasetEntry = Omit<Dataset, 'revision'>

/** A revision as others need it: what it is, and whose storage it counts as. */
export interface Revision {
  id: string
  datasetId: string
  number: number
  orgId: string
  importId: string | null
  sourceKind: string
  sourceUri: string | null
  hfRepoId: string | null
  hfRevision: string | null
  digest: string
  readModelDigest: string
  summary: RevisionSummary
  createdBy: string | null
  createdAt: Date
  /** Absent for a revision of a dataset. */
  content?: RevisionContent | undefined
}

/** A dataset that somebody may see, and what they are there. */
export interface SeenDataset {
  dataset: DatasetEntry
  revision: Revision
  org: { id: string; slug: string }
  project: { id: string; slug: string }
  role: ProjectRole | null
  /** Set for what is derived from a dataset. */
  derived?: DerivedFrom
}

/** One of several sources, whose episodes follow those of the one before. */
export interface MergedPart {
  datasetId: string
  revision: string
  episodeCount: number
}

/** What is told of a version beyond what a dataset has. */
export interface DerivedFrom {
  datasetId: string
  revisionNumber: number
  title: string
  /** Whether the person may read the source too: then files of it that hold more than the version can be shown. */
  isSourceOpen: boolean
  /** As it is shown from the source's files, which stays after the export: there the action is as it was recorded, too. Null where the source is gone, or closed to who asks. */
  planned: ReadModelPlace | null
  /** What each of several sources is; null where there is one. */
  sources: MergedPart[] | null
  /** Where its own files stand: `planned` until an export makes them, `ready` then. */
  filesStatus: string
}
