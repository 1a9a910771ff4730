import type { EpisodeKind } from './diff.ts'

/** What the address of a page may say after its path. */

export interface EpisodesSearch {
  q?: string | undefined
  split?: string | undefined
  sort?: 'duration' | 'task' | 'motion' | 'variance' | 'flags' | undefined
  order?: 'asc' | 'desc' | undefined
  show?: 'flagged' | 'low-motion' | 'high-variance' | 'success' | 'failure' | undefined
}

export interface FramesSearch {
  view?: 'last' | undefined
  camera?: string | undefined
}

/** The brush, so that what was found can be sent to somebody. */
export interface InsightsSearch {
  plot?: 'length' | 'motion' | 'variance' | undefined
  from?: number | undefined
  to?: number | undefined
}

/** The rule that is open, and the cut-off that is tried on it. */
export interface ChecksSearch {
  rule?: string | undefined
  cut_off?: number | undefined
}

export interface CompareSearch {
  from?: string | undefined
  to?: string | undefined
  /** Which episodes are listed. */
  kind?: EpisodeKind | undefined
}

export interface PlayerSearch {
  t?: number | undefined
  /** Frames that are marked when it opens: the first, and the one after the last. */
  from?: number | undefined
  to?: number | undefined
  /** The queue that it is looked at in. */
  review?: string | undefined
}

export interface RecipeSearch {
  step?:
    | 'episodes'
    | 'time'
    | 'cameras'
    | 'crop'
    | 'resize'
    | 'action'
    | 'features'
    | 'annotations'
    | 'sources'
    | undefined
  /** Somebody's draft, by its link. */
  draft?: string | undefined
}

export interface ImportsSearch {
  new?: 'huggingface' | 'upload' | 'url' | undefined
  show?: 'running' | 'failed' | 'done' | undefined
  /** The import that is done again. */
  again?: string | undefined
  /** What the form of a new import begins with. */
  slug?: string | undefined
  title?: string | undefined
}

export interface OrgMembersSearch {
  /** The project that an invite is for. */
  project?: string | undefined
}
