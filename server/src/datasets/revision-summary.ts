import type { Losses } from './losses.ts'

/** The few facts of a revision that lists and searches show; everything else is in the read model. Kept as JSON in its row. */
export interface RevisionSummary {
  robot_type: string | null
  /** As the source says them; absent in revisions made before they were read. */
  work_name?: string | null
  embodiment?: string | null
  robot_description_uri?: string | null
  fps: number
  total_episodes: number
  total_frames: number
  total_seconds: number
  total_tasks: number
  /** The first 20. */
  tasks: string[]
  camera_keys: string[]
  /** `640x480`, each once. */
  camera_resolutions: string[]
  /** Of the canonical files. */
  size_bytes: number
  source_layout: string
  source_version: string
  /** Episodes per bin of the statistics' histogram. */
  length_histogram: number[]
  losses?: Losses | null
}

/** Without the empty text that summaries made earlier have for a dataset without tasks. */
export const showTasks = ({ tasks, total_tasks: total }: RevisionSummary): { tasks: string[]; total_tasks: number } => {
  const shown = tasks.filter((text) => text !== '')
  return { tasks: shown, total_tasks: total - (tasks.length - shown.length) }
}
