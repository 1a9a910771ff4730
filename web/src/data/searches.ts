/** What the address of a page may say after its path. */

export interface EpisodesSearch {
  q?: string | undefined
  split?: string | undefined
  sort?: 'duration' | 'motion' | 'variance' | undefined
  order?: 'asc' | 'desc' | undefined
  show?: 'flagged' | 'low-motion' | 'high-variance' | undefined
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

export interface PlayerSearch {
  t?: number | undefined
}

export interface RecipeSearch {
  step?: 'episodes' | 'cameras' | 'crop' | 'resize' | 'action' | 'annotations' | undefined
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
