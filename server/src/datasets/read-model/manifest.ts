import type { JsonObject } from '@nmp/formats/json'
import type { SignalRoles } from '@nmp/formats/signal-roles'
import type { MotionScale } from '@nmp/formats/statistics/idle'

/** manifest.json of a read model: everything about a revision that does not grow with its episodes. */
export interface ReadModelManifest {
  schema: 1
  codebase_version: string
  robot_type: string | null
  fps: number
  total_episodes: number
  total_frames: number
  total_tasks: number
  /** Those that an episode is in, in the order of their first episode. */
  split_names: string[]
  /** What the canonical form was made from. */
  origin: { layout: string; version: string; details: JsonObject }
  features: FeatureEntry[]
  cameras: CameraEntry[]
  /** Set where somebody has said which features are state and action; else they are found by name. */
  roles?: SignalRoles
  state: SignalEntry | null
  action: SignalEntry | null
  /** Features that hold language or annotation. */
  annotation_keys: string[]
  /** The first hundred; all are in the episodes file. */
  tasks: string[]
  data_files: string[]
  /** Per camera stored as video, in the order of `cameras`. */
  video_files: { key: string; files: string[] }[]
  statistics: LengthStatistics
  insights: Insights
  /** LeRobot's meta/stats.json, computed over every row; of cameras, over LeRobot's sample of frames. */
  feature_statistics: JsonObject
  /** Of the canonical files. */
  size_bytes: number
}

export interface FeatureEntry {
  name: string
  dtype: string
  shape: number[]
  names: string[] | null
}

export interface CameraEntry {
  key: string
  label: string
  width: number
  height: number
  channels: number
  fps: number
  codec: string | null
  pixel_format: string | null
  depth_map: boolean
  storage: 'video' | 'image'
}

export interface SignalEntry {
  key: string
  dimension: number
  names: string[]
}

export interface LengthStatistics {
  total_recording_sec: number
  shortest_episode_frames: number
  longest_episode_frames: number
  shortest_episode_sec: number
  longest_episode_sec: number
  mean_episode_sec: number
  median_episode_sec: number
  std_episode_sec: number
  histogram: { label: string; count: number }[]
}

export interface Insights {
  /** There is a signal and it can be scored; that it never changes is a score too. */
  supported: boolean
  signal: string | null
  /** Dimensions of the signal that count. */
  dimensions: number[]
  median_step: number | null
  /** Points of an episode's motion curve, and the mean step that its 255 stands for. */
  curve_points?: number
  curve_top?: number
  /** What is motion in this dataset, to find idle frames by. Read models made before there was one have none. */
  motion_scale?: MotionScale
}
