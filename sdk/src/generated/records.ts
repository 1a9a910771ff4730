// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.

export interface ErrorBody {
  /** A sentence that says what is wrong and what to do. */
  detail: string
  /** A stable code for programs. */
  code: string
  request_id: string
}

export interface HTTPValidationError {
  detail: {
    loc: (string | number)[]
    msg: string
    type: string
    input?: unknown | undefined
    ctx?: Record<string, unknown> | undefined
  }[]
}

export interface AnnotationSet {
  id: string
  name: string
  revision_number: number
  latest_version: number
  /** In the newest version. */
  episode_count: number
  created_by: string | null
  created_by_name: string | null
  created_at: string
  updated_at: string
}

export interface ApiToken {
  id: string
  name: string
  preview: string
  prefix: string
  suffix: string
  scopes: ('workspace:read' | 'imports:write' | 'datasets:write' | 'datasets:delete' | 'versions:write' | 'exports:write')[]
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  expires_at: string
  origin: {
    /** What was signed in when the token was made. */
    program: 'console' | 'command_line' | 'operator' | 'other'
    /** The network address that it was asked for from. */
    address: string
    /** What the program said it is. */
    user_agent: string
  } | null
}

export interface AuditEvent {
  id: number
  at: string
  actor_kind: 'session' | 'token' | 'operator' | 'program'
  actor_user_id: string | null
  token_id: string | null
  action: string
  resource_kind: string
  resource_id: string
  detail: Record<string, unknown>
  request_id: string | null
}

export interface CatalogEntry {
  id: string
  org_slug: string
  slug: string
  title: string
  description: string
  work_name: string | null
  task_name: string | null
  robot_type: string | null
  embodiment: string | null
  robot_description_uri: string | null
  tags: string[]
  tasks: string[]
  total_episodes: number
  total_frames: number
  total_seconds: number
  total_tasks: number
  fps: number
  camera_keys: string[]
  camera_resolutions: string[]
  size_bytes: number
  source_kind: string
  hf_repo_id: string | null
  derived_from: {
    id: string
    title: string
  } | null
  licence: string | null
  length_histogram: number[]
  poster_url: string | null
  published_at: string
  created_at: string
  updated_at: string
}

export interface ChangeVersion {
  name?: string | undefined
  description?: string | undefined
  tags?: string[] | undefined
  visibility?: 'private' | 'public' | undefined
}

export interface CheckFinding {
  rule: string
  severity: 'error' | 'warning' | 'info'
  episode_index: number | null
  frame_from: number | null
  frame_to: number | null
  camera: string | null
  feature: string | null
  value: number | null
  cut_off: number | null
  sentence: string
  elsewhere: {
    dataset_id: string
    dataset_slug: string
    episode_index: number
  } | null
}

export interface CheckFindings {
  offset: number
  limit: number
  total: number
  items: CheckFinding[]
}

export interface CheckHuggingFace {
  hf_repo_id: string
  hf_revision?: string | null | undefined
  hf_token?: string | null | undefined
}

export interface CheckPartStatus {
  status: 'none' | 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'skipped'
  /** Episodes. */
  done: number
  total: number
  /** What it is at, or why there is no result. */
  message: string
  job_id: string | null
  rule_set_version: number | null
}

export interface CheckRanking {
  rule: string
  episode_index: number
  value: number
  /** 1 is the lowest of the set; equal values share one. */
  rank: number
  /** Episodes that the rule measures. */
  of: number
  /** 0 is the lowest of the set, 100 the highest. */
  percentile: number
  confidence: number | null
}

export interface CheckRankings {
  offset: number
  limit: number
  total: number
  items: CheckRanking[]
}

export interface CheckRule {
  id: string
  family: 'signals' | 'motion' | 'pictures' | 'sets'
  /** A ranking gives every episode a value; none is wrong by itself. */
  kind: 'flag' | 'ranking'
  severity: 'error' | 'warning' | 'info'
  /** Of values and of the cut-off. */
  unit: string
  cut_off: number | null
  direction: 'above' | 'below' | null
  /** Whether the cut-off itself is found too. */
  inclusive: boolean
  loosest: number | null
  /** It tells of the whole set: a recipe cannot select episodes by it. */
  of_set: boolean
  sentence: string
  remedy: string
}

export interface CheckRuleCounts {
  id: string
  family: 'signals' | 'motion' | 'pictures' | 'sets' | null
  kind: 'flag' | 'ranking'
  severity: 'error' | 'warning' | 'info'
  findings: number
  /** In which something was found. */
  episodes: number
  /** Findings beyond those that are listed. */
  unlisted: number
  worst: number | null
  cut_off: number | null
  /** The cut-off in force cannot be told from stored results: the counts are of the last run. */
  needs_run: boolean
  failed: string | null
}

export interface CheckSetValue {
  rule: string
  camera: string | null
  /** In the rule's unit. */
  value: number
  /** 0 to 1. */
  confidence: number
  /** Episodes that measure the same. */
  agreeing: number
  /** Episodes that could be measured. */
  measured: number
  sentence: string
}

export interface CheckSettings {
  /** By rule; what is left out is the rule's own. */
  cut_offs?: Record<string, number> | undefined
  pictures?: 'auto' | 'always' | 'never' | undefined
}

export interface CheckSummary {
  dataset_id: string
  /** Of a version, its id. */
  revision_id: string
  revision_number: number
  /** Of the program; results may be of an earlier one. */
  rule_set_version: number
  signals: CheckPartStatus
  pictures: CheckPartStatus
  episodes: number | null
  frames: number | null
  /** By rule, as they are in force. */
  cut_offs: Record<string, number>
  settings: {
    /** Set here; others are the rules' own. */
    cut_offs: Record<string, number>
    /** `auto`: pictures of imports up to NMP_CHECK_PICTURES_MAX_BYTES are looked at. */
    pictures: 'auto' | 'always' | 'never'
  }
  /** Those that have a result, and findings of reading the files. */
  rules: CheckRuleCounts[]
  families: Record<string, {
    findings: number
    episodes: number
  }>
  severities: {
    error: {
      findings: number
      episodes: number
    }
    warning: {
      findings: number
      episodes: number
    }
    info: {
      findings: number
      episodes: number
    }
  }
  /** What all episodes together measure: by how many frames the state follows the action (`lag`). */
  set_values: CheckSetValue[]
  look_first: {
    episode_index: number
    score: number
    reasons: string[]
  }[]
}

export interface ConsoleConfig {
  /** Where the console signs in: an OpenID Connect issuer. */
  issuer: string
  client_id: string
  scopes: string[]
  /** The audience that a session token must have. */
  audience: string
  channel: 'stable' | 'dev'
  version: string
}

/** The version that was copied, as it was when the copy was requested; it may no longer exist. Index lists of over 1,000 entries are null, as in a list of versions. */
export interface CopiedFrom {
  version_id: string
  org_slug: string
  project_slug: string
  slug: string
  version: number
  name: string
  /** Of several sources the first. */
  source: {
    dataset_kind: 'catalog' | 'project' | 'version'
    dataset_id: string
    repo_id: string | null
    title: string
    /** Digest of the read model that the version is pinned to. */
    source_revision: string
    /** Of a version: its own id, which pins it. */
    revision_id: string
    /** Of a version: its number. */
    revision_number: number
    hf_revision: string | null
  }
  recipe: Recipe
  /** Lengths of the index lists; in a list of versions, those of over 1,000 entries are null. */
  recipe_counts: {
    selected_episode_indices: number
    excluded_episode_indices: number
  }
  /** The versions between the original dataset (`provenance.root_dataset_id`) and this one, oldest first: their recipes are applied before its own. Empty for a version of a dataset. */
  composition: {
    version_id: string
    slug: string
    version: number
    recipe: Recipe
  }[]
  recipe_sha256: string
}

export interface CopyVersion {
  org_slug?: string | null | undefined
  project_slug?: string | null | undefined
  dataset_slug: string
  title?: string | null | undefined
  idempotency_key?: string | null | undefined
  idempotency_fingerprint?: string | null | undefined
}

export interface CreateImport {
  source_kind: 'huggingface' | 'hdf5' | 'lerobot'
  dataset_slug: string
  title?: string | null | undefined
  hf_repo_id?: string | null | undefined
  hf_revision?: string | null | undefined
  hf_token?: string | null | undefined
  source_uri?: string | null | undefined
  upload_ids?: string[] | null | undefined
  idempotency_key?: string | null | undefined
  idempotency_fingerprint?: string | null | undefined
  options?: ImportOptions | null | undefined
}

export interface CreateVersion {
  slug: string
  name: string
  project_slug?: string | null | undefined
  source?: {
    /** `catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes. */
    dataset_kind: 'catalog' | 'project' | 'version'
    dataset_id: string
  } | undefined
  recipe?: RecipeInput | undefined
  /** Several sources instead of `source`, one after the other in the result. */
  sources?: MergeSource[] | undefined
  /** Of what `sample` draws; 0 by default. */
  seed?: number | undefined
  /** By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay. */
  task_samples?: Record<string, number> | undefined
  /** Shares of the frames that a sampler draws, by task text, instead of by source. */
  task_weights?: Record<string, number> | undefined
  idempotency_key?: string | null | undefined
  idempotency_fingerprint?: string | null | undefined
}

export interface CurrentUser {
  id: string
  email: string
  org_slugs: string[]
  org_member_slugs: string[]
  org_admin_slugs: string[]
  projects: {
    org_slug: string
    project_slug: string
    role: 'admin' | 'editor' | 'viewer'
  }[]
}

export interface CutsPreview {
  episode_count: number
  frame_count: number
  duration_sec: number
  fps: number
  source_episode_count: number
  source_frame_count: number
  source_fps: number
  cut: {
    frame_count: number
    duration_sec: number
    /** Selected episodes that lose frames, dropped ones included. */
    episode_count: number
    /** Selected episodes of which no frame is left. */
    dropped_episode_count: number
    /** The seconds that each selected episode loses; those that lose none are not in it. */
    histogram: {
      bin_sec: number
      /** Entry i: episodes that lose from i to i + 1 bins. */
      episode_counts: number[]
    }
  } | null
  episode: {
    episode_index: number
    length_frames: number
    is_selected: boolean
    /** The episodes that become of it, by the frames that are kept, each range without its end. */
    parts: {
      ranges: number[][]
      task: string | null
    }[]
    rests: {
      ranges: number[][]
      threshold: number | null
    } | null
  } | null
}

export interface DatasetManifest {
  id: string
  slug: string
  title: string
  description: string
  source: {
    provider: string
    source_label: string
    source_locator: string
    source_url: string | null
    hf_repo_id: string | null
  }
  observation: {
    camera_count: number
    cameras: {
      key: string
      label: string
      width: number
      height: number
      channels: number
      fps: number
      codec: string | null
      pixel_format: string | null
      depth_map: boolean
    }[]
    state: {
      key: string
      dimension: number
      names: string[]
      fps: number
    } | null
  }
  annotation: {
    available: boolean
    /** Columns with language or annotations, by name; then `SET/FIELD` for every field (`task`, `success`, `tags`, `note`, `segments`) that an annotation set of the revision fills. */
    keys: string[]
  }
  metrics: {
    total_episodes: number
    total_frames: number
    fps: number
    total_tasks: number
    split_names: string[]
    codebase_version: string
  }
  episode_page: EpisodePage
  schema_version: '1.0.0'
  kind: 'dataset_manifest'
  work_name: string | null
  task_name: string | null
  robot_type: string | null
  embodiment: string | null
  robot_description_uri: string | null
  tags: string[]
  modalities: string[]
  action: {
    key: string
    dimension: number
    names: string[]
    fps: number
  } | null
  statistics: DatasetStatistics
  export_artifacts: {
    key: string
    label: string
    kind: string
    access: string
    href: string
    description: string
    /** `ready`; for a version, `planned` until it has been exported. */
    status: string
  }[]
  org_slug: string
  project_slug: string
  visibility: 'private' | 'public'
  role: 'admin' | 'editor' | 'viewer' | null
  revision_id: string
  revision_number: number
  /** What the stored form was made from, and its version. */
  source_layout: string
  source_version: string
  hf_revision: string | null
  size_bytes: number
  /** True for a version that has not been exported yet. */
  size_is_estimated: boolean
  derived_version: DerivedDatasetVersion | null
  import_losses: ImportLosses | null
  import_id: string | null
  /** The first hundred. */
  tasks: string[]
  /** Every split of `metrics.split_names` with the number of its episodes; splits may overlap. */
  splits: {
    name: string
    episode_count: number
  }[]
  licence: string | null
  citation: string | null
  card_markdown: string | null
  /** Language codes. */
  language: string[]
  /** Fields set by hand; all others follow the card and the files of the revision that is shown. */
  edited_fields: ('title' | 'description' | 'tags' | 'language' | 'licence' | 'citation' | 'card_markdown' | 'work_name' | 'task_name' | 'robot_type' | 'embodiment' | 'robot_description_uri')[]
  published_at: string | null
  created_at: string
  updated_at: string
}

export interface DatasetRevision {
  id: string
  number: number
  is_current: boolean
  /** Everyone may read it, as long as the dataset is public. */
  is_public: boolean
  import_id: string | null
  source_kind: string
  source_uri: string | null
  hf_repo_id: string | null
  hf_revision: string | null
  /** Of the stored files: paths, sizes and contents. */
  digest: string
  total_episodes: number
  total_frames: number
  size_bytes: number
  created_by: string | null
  created_at: string
}

/** Joints that are not named stand still; where none is, they are found by their names. */
export interface DatasetRobot {
  robot_id: string
  joints: {
    /** As the URDF names it. */
    joint: string
    /** Which number of the state turns it. */
    dimension: number
    /** Of that number. */
    unit: 'rad' | 'deg' | 'm' | 'mm'
  }[]
  updated_at: string
}

export interface DatasetSignals {
  state: string | null
  action: string | null
  /** The columns that the shown revision was measured by; null where it has none. */
  in_force: {
    state: string | null
    action: string | null
  }
  /** What is set and not a column of the shown revision: it is found by name there. */
  missing: string[]
  /** Columns of the shown revision that can be set. */
  choices: {
    name: string
    dtype: string
    dimension: number
  }[]
  /** The measuring by what is set; until it has succeeded, numbers are those of `in_force`. */
  run: {
    status: 'none' | 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
    pct: number
    message: string
    job_id: string | null
  }
}

export interface DatasetStatistics {
  codebase_version: string
  total_recording_sec: number
  total_cameras: number
  camera_resolutions: string[]
  shortest_episode_frames: number
  longest_episode_frames: number
  shortest_episode_sec: number
  longest_episode_sec: number
  mean_episode_sec: number
  median_episode_sec: number
  std_episode_sec: number
  exact: boolean
  sample_size: number
  histogram: {
    label: string
    count: number
  }[]
}

export interface DerivedDatasetExportJob {
  id: string
  org_slug: string
  version_id: string
  artifact_key: string
  artifact_path: string
  /** Id of the user; empty if the account was deleted. */
  requested_by: string
  created_at: string
  updated_at: string
  schema_version: '1.0.0'
  kind: 'derived_dataset_export_job'
  project_slug: string
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  checksum_sha256: string | null
  error_message: string | null
  size_bytes: number | null
  progress_pct: number | null
  progress_phase: string | null
  progress_message: string | null
  /** Of the target, as they were asked for. */
  options: Record<string, unknown>
  report: {
    /** What of the version the target has no place for. */
    losses: ExportLoss[]
    /** What was estimated or changed on the way, in words. */
    notes: string[]
  } | null
  /** Parts whose cameras are encoded again; 0 if every frame is copied. */
  shard_count: number
  shards_done: number
  cancel_requested_at: string | null
  retry_of: string | null
  started_at: string | null
  finished_at: string | null
}

export interface DerivedDatasetVersion {
  id: string
  org_slug: string
  slug: string
  name: string
  /** Of several sources the first. */
  source: {
    dataset_kind: 'catalog' | 'project' | 'version'
    dataset_id: string
    repo_id: string | null
    title: string
    /** Digest of the read model that the version is pinned to. */
    source_revision: string
    /** Of a version: its own id, which pins it. */
    revision_id: string
    /** Of a version: its number. */
    revision_number: number
    hf_revision: string | null
  }
  /** Only of a version of several sources, in their order; in a list of versions their recipes are null. */
  sources?: {
    source_index: number
    dataset_kind: 'catalog' | 'project' | 'version'
    dataset_id: string
    repo_id: string | null
    title: string
    /** Digest of the read model that the version is pinned to. */
    source_revision: string
    /** Of a version: its own id, which pins it. */
    revision_id: string
    /** Of a version: its number. */
    revision_number: number
    hf_revision: string | null
    recipe: Recipe | null
    map: SourceMap
    confirm: string[]
    weight: number | null
    sample: number | null
    episode_count: number
    frame_count: number
  }[] | undefined
  seed?: number | null | undefined
  task_weights?: Record<string, number> | null | undefined
  task_samples?: Record<string, number> | null | undefined
  recipe: Recipe
  /** The versions between the original dataset (`provenance.root_dataset_id`) and this one, oldest first: their recipes are applied before its own. Empty for a version of a dataset. */
  composition: {
    version_id: string
    slug: string
    version: number
    recipe: Recipe
  }[]
  /** Lengths of the index lists; in a list of versions, those of over 1,000 entries are null. */
  recipe_counts: {
    selected_episode_indices: number
    excluded_episode_indices: number
  }
  description: string
  tags: string[]
  visibility: 'private' | 'public'
  published_at: string | null
  export_artifacts: VersionArtifact[]
  provenance: Record<string, unknown>
  checksums: Record<string, unknown>
  schema_version: '1.0.0'
  kind: 'derived_dataset_version_manifest'
  project_slug: string
  version: number
  status: 'materialization_required' | 'materializing' | 'materialized' | 'failed'
  lerobot_version: 'v3'
  viewer_route: string
  episode_count: number
  frame_count: number
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface Diff {
  from: DiffSide
  to: DiffSide
  /** `preparing`: the rows and packets of a side are read by a job first, because it has no fingerprints; ask again. Until it is `ready`, `episodes`, `features` and `statistics` are null: nothing is called the same unread. */
  state: 'ready' | 'preparing' | 'failed'
  preparing: {
    side: 'from' | 'to'
    state: 'queued' | 'running' | 'failed'
    job_id: string
    progress_pct: number
    message: string
  }[]
  counts: {
    same: number
    relabelled: number
    re_encoded: number
    trimmed: number
    changed: number
    removed: number
    added: number
  } | null
  episodes: {
    same: DiffEpisode[]
    relabelled: DiffEpisode[]
    re_encoded: DiffEpisode[]
    trimmed: DiffEpisode[]
    changed: DiffEpisode[]
    removed: DiffEpisode[]
    added: DiffEpisode[]
  } | null
  /** Episodes under `added` and `removed` that were too many to be looked at for cuts. */
  unsearched: number
  features: DiffFeature[] | null
  statistics: {
    /** The most moved first; at most 500. */
    items: DiffStatistic[]
    total: number
    /** Features whose figures one side does not know yet: pictures that an export is still to encode. */
    unknown: string[]
  } | null
  tasks: {
    from_total: number
    to_total: number
    added: number
    removed: number
    /** New and gone ones first, then the most changed; at most 200. */
    items: {
      task: string
      from_episodes: number
      to_episodes: number
    }[]
  }
  /** Keys of the two recipes that differ, as in `trim.idle.threshold`. A dataset has none. */
  recipe: {
    key: string
    from: unknown
    to: unknown
  }[]
}

export interface DiffEpisode {
  from_episode: number | null
  to_episode: number | null
  from_frames: number | null
  to_frames: number | null
  from_tasks: string[]
  to_tasks: string[]
  from_poster_url: string | null
  to_poster_url: string | null
  kept_frames: number[][] | null
  /** Its tasks differ, whatever else does. */
  relabelled: boolean
  /** Features and cameras, by their newer names, whose content is another. Empty where only frames were cut. */
  differs: string[]
}

export interface DiffFeature {
  change: 'added' | 'removed' | 'renamed' | 'reshaped'
  kind: 'column' | 'camera'
  from: string | null
  to: string | null
  from_shape: number[] | null
  to_shape: number[] | null
}

export interface DiffSide {
  kind: 'revision' | 'version'
  /** Of the dataset, or the version itself. */
  dataset_id: string
  revision_id: string | null
  /** Of the revision or version. */
  number: number
  /** Its episodes are those that the pages of `dataset_id` show. */
  shown: boolean
  org_slug: string
  project_slug: string
  slug: string
  title: string
  episode_count: number
  frame_count: number
  fps: number
  robot_type: string | null
  total_sec: number
}

export interface DiffStatistic {
  feature: string
  dimension: number
  name: string | null
  ks: number | null
  shift_sigmas: number | null
  from: {
    mean: number
    std: number
    min: number
    max: number
  }
  to: {
    mean: number
    std: number
    min: number
    max: number
  }
}

export interface DismissImport {
  dismissed?: boolean | undefined
}

export interface EpisodeAnnotation {
  episode_index: number
  task: string | null
  success: boolean | null
  tags: string[]
  note: string | null
  segments: {
    label: string
    start_frame: number
    /** Exclusive. */
    end_frame: number
  }[]
}

export interface EpisodeChecks {
  dataset_id: string
  /** Of a version, its id. */
  revision_id: string
  episode_index: number
  /** The most severe first. */
  findings: CheckFinding[]
  /** What every rule that ranks measures of it, and its place. */
  rankings: CheckRanking[]
  look_first: {
    /** 1 is to be looked at before all others. */
    place: number
    score: number
    reasons: string[]
  } | null
}

export interface EpisodeFlag {
  id: string
  episode_index: number
  reason: string
  note: string | null
  start_frame: number | null
  end_frame: number | null
  created_by: string | null
  created_by_name: string | null
  created_at: string
  updated_at: string
}

export interface EpisodeMedia {
  episode_index: number
  length_frames: number
  duration_sec: number
  fps: number
  streams: {
    camera_key: string
    label: string
    url: string | null
    from_sec: number | null
    to_sec: number | null
    /** What a player still has to do to the frames of `url`, in order: crop (in their pixels), then resize. Only for versions that are not exported; otherwise empty. Posters, sprites and clips are already transformed. */
    transforms: {
      crop: {
        left: number
        top: number
        width: number
        height: number
      } | null
      resize: {
        width: number
        height: number
        mode: 'fit' | 'fill' | 'stretch'
      } | null
    }[]
    poster_url: string
    sprite_url: string
    clip_url: string | null
    depth: {
      near_mm: number | null
      far_mm: number | null
      unknown: string | null
    } | null
  }[]
  expires_at: string
}

export interface EpisodeNavigation {
  current: EpisodeRecord
  total: number
  previous: EpisodeRecord | null
  next: EpisodeRecord | null
}

export interface EpisodePage {
  offset: number
  limit: number
  total: number
  items: EpisodeRecord[]
}

export interface EpisodeRecord {
  episode_index: number
  length_frames: number
  duration_sec: number
  dataset_from_index: number
  dataset_to_index: number
  tasks: string[]
  camera_keys: string[]
  /** Splits that the episode is in: none, one or several. */
  splits: string[]
  /** The number it had in the source; in a version of several sources, which of them it is from. */
  source_index: number
  /** Only in a version of several sources: the number it had there. */
  source_episode_index?: number | undefined
  source_dataset_id?: string | null | undefined
  source_revision?: string | null | undefined
  motion: number | null
  variance: number | null
  still_sec: number | null
}

export interface EpisodeRows {
  episode_index: number
  length_frames: number
  fps: number
  start_frame: number
  end_frame: number
  is_decimated: boolean
  frame_index: number[]
  timestamp: number[]
  series: {
    name: string
    dtype: string
    shape: number[]
    names: string[] | null
    /** Per dimension, in row-major order: one value per entry of `frame_index`; null where it is not a number. */
    values: unknown[][]
  }[]
}

export interface EpisodeSprite {
  camera_key: string
  offset: number
  limit: number
  tile_width: number
  tile_height: number
  url: string
  expires_at: string
}

export interface ExportLoss {
  feature: string
  reason: string
}

export interface ExportTarget {
  /** What `artifact_keys` takes. */
  key: string
  title: string
  /** A sentence on who reads it. */
  readers: string
  /** JSON Schema of its options. */
  options: Record<string, unknown>
  losses: ExportLoss[]
  estimated_bytes: number
  /** `measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better. */
  estimate: 'settled' | 'measuring' | 'rough'
  estimated_files: number
}

export interface FeatureStatistics {
  codebase_version: string
  features: {
    name: string
    dtype: string
    shape: number[]
    names: string[] | null
    /** Cameras only: over LeRobot's sample of frames; all else over every row. */
    sampled: boolean
    /** Known after the export, which encodes this camera of the version again. */
    pending: boolean
    count: number | null
    min: number[] | null
    max: number[] | null
    mean: number[] | null
    std: number[] | null
    q01: number[] | null
    q10: number[] | null
    q50: number[] | null
    q90: number[] | null
    q99: number[] | null
  }[]
}

export interface FilterOptions {
  codebase_version: string
  supports_motion_insights: boolean
  /** Only episodes that stand still or are slow compared with the others, worst first. */
  low_motion_episodes: {
    episode_index: number
    /** Low motion: seconds lost to standing still or to a slow pace, as a negative number. High variance: jerk as a multiple of the usual. */
    score: number
    /** Why it stands out and by how much. */
    score_label: string
    length_frames: number
    duration_sec: number
    tasks: string[]
  }[]
  /** Only episodes that shake compared with the others, worst first. */
  high_variance_episodes: {
    episode_index: number
    /** Low motion: seconds lost to standing still or to a slow pace, as a negative number. High variance: jerk as a multiple of the usual. */
    score: number
    /** Why it stands out and by how much. */
    score_label: string
    length_frames: number
    duration_sec: number
    tasks: string[]
  }[]
  /** Total number; a list holds at most 1,000. */
  low_motion_total: number
  high_variance_total: number
  note: string | null
}

export interface FramesPage {
  offset: number
  limit: number
  total: number
  camera_key: string | null
  view: string
  items: {
    episode_index: number
    length_frames: number
    duration_sec: number
    tasks: string[]
    streams: {
      camera_key: string
      label: string
      url: string | null
      preview_time_sec: number
      /** What a player still has to do to the frames of `url`, in order: crop (in their pixels), then resize. Only for versions that are not exported; otherwise empty. Posters, sprites and clips are already transformed. */
      transforms: {
        crop: {
          left: number
          top: number
          width: number
          height: number
        } | null
        resize: {
          width: number
          height: number
          mode: 'fit' | 'fill' | 'stretch'
        } | null
      }[]
      duration_sec: number
      poster_url: string
    }[]
  }[]
}

export interface Hdf5DatasetSummary {
  path: string
  shape: number[]
  dtype: string
  ndim: number
  size: number
  compression: string | null
  chunks: number[] | null
  attrs: Record<string, unknown>
  [name: string]: unknown
}

export interface Hdf5EpisodeSummary {
  episode_index: number
  split: string | null
  trajectory_id: string | null
  frames_path: string | null
  group_path: string | null
  length_frames: number | null
  duration_sec: number | null
  [name: string]: unknown
}

export interface Hdf5GroupSummary {
  path: string
  attrs: Record<string, unknown>
  [name: string]: unknown
}

export interface Hdf5PreviewCandidates {
  image: {
    path: string
    shape: number[]
    dtype: string
    layout: string
    frames: number | null
    height: number | null
    width: number | null
    channels: number | null
    episode_index: number | null
    split: string | null
    trajectory_id: string | null
    group_path: string | null
    camera_key: string | null
    [name: string]: unknown
  }[]
  jpeg_bytes: {
    path: string
    shape: number[]
    dtype: string
    layout: string
    frames: number | null
    height: number | null
    width: number | null
    channels: number | null
    episode_index: number | null
    split: string | null
    trajectory_id: string | null
    encoding: string
    fps: number | null
    [name: string]: unknown
  }[]
  padded_jpeg: {
    path: string
    shape: number[]
    dtype: string
    layout: string
    frames: number | null
    height: number | null
    width: number | null
    channels: number | null
    episode_index: number | null
    split: string | null
    trajectory_id: string | null
    encoding: string
    fps: number | null
    camera_key: string | null
    compress_len_path: string | null
    camera_index: number | null
    [name: string]: unknown
  }[]
  image_path: {
    path: string
    shape: number[]
    dtype: string
    layout: string
    frames: number | null
    height: number | null
    width: number | null
    channels: number | null
    episode_index: number | null
    split: string | null
    trajectory_id: string | null
    encoding: string
    fps: number | null
    first_frame_path: string | null
    camera_key: string | null
    [name: string]: unknown
  }[]
  numeric_tensor: {
    path: string
    shape: number[]
    dtype: string
    ndim: number
    size: number
    [name: string]: unknown
  }[]
  [name: string]: unknown
}

export interface Hdf5SourceSummary {
  kind: 'hdf5_summary'
  inspected: boolean
  reason: string | null
  size_bytes: number | null
  max_bytes: number | null
  dataset_count: number | null
  group_count: number | null
  datasets: Hdf5DatasetSummary[]
  groups: Hdf5GroupSummary[]
  preview_candidates: Hdf5PreviewCandidates
  preview_assets: WorkspaceImportPreviewAsset[]
  episodes: Hdf5EpisodeSummary[]
  truncated: boolean | null
  root_attrs: Record<string, unknown>
  [name: string]: unknown
}

export interface HuggingFaceCheck {
  exists: boolean
  private: boolean
  gated: boolean
  revision: string | null
  codebase_version: string | null
  total_bytes: number | null
  file_count: number | null
  sentence: string
}

/** What the source had and the dataset lacks. The import's report has the details. */
export interface ImportLosses {
  episodes_found: number
  episodes_left_out: number
  /** Cameras, features, splits and files missing from the dataset although their episodes were imported. */
  dropped: number
  first_reason: string
}

export interface ImportOptions {
  fps?: number | null | undefined
  color_order?: 'rgb' | 'bgr' | null | undefined
  flip_vertical?: boolean | null | undefined
  task?: string | null | undefined
  video_codec?: 'av1' | 'h264' | null | undefined
}

export interface ImportReport {
  schema_version: string
  kind: 'import_report'
  import_id: string
  outcome: 'succeeded' | 'failed'
  /** A few sentences. */
  summary: string
  error: {
    code: string
    message: string
    phase: string | null
  } | null
  source: {
    kind: 'huggingface' | 'hdf5' | 'lerobot' | 'version'
    uri: string | null
    revision: string | null
    layout: string | null
    version: string | null
    details: Record<string, unknown>
    file_count: number
    size_bytes: number
  }
  counts: {
    episodes_found: number
    episodes_imported: number
    episodes_repaired: number
    episodes_left_out: number
    frames: number
    errors: number
    warnings: number
    notes: number
  }
  result: {
    fps: number
    robot_type: string | null
    /** Splits of the dataset; they may overlap. Absent in reports made before splits were kept. */
    splits?: {
      name: string
      episode_count: number
    }[] | undefined
    file_count: number
    size_bytes: number
    /** Canonical files that are unchanged source files. */
    kept_files: number
    digest: string
  } | null
  findings: {
    rule: string
    severity: 'error' | 'warning' | 'info'
    episode: number | null
    sentence: string
    /** True if part of the source is missing in the dataset although its episodes were imported. */
    dropped?: boolean | undefined
  }[]
  episodes: {
    source_index: number
    source_id: string
    episode_index: number | null
    length_frames: number | null
    /** `not_imported`: nothing wrong was found with it, but the import failed. */
    outcome: 'imported' | 'repaired' | 'left_out' | 'not_imported'
    notes: string[]
  }[]
  /** The list of episodes was shortened; the counts include all. */
  truncated: boolean
}

export interface Insights {
  offset: number
  limit: number
  total: number
  supports_motion_insights: boolean
  signal: string | null
  dimensions: number[]
  median_step: number | null
  note: string | null
  length_frames: number[]
  /** Whether any row of the episode says `next.success`; empty where no column says it, and for revisions of before this was read. */
  success: boolean[]
  motion: number[]
  variance: number[]
  /** In rests of at least half a second. */
  still_seconds: number[]
  longest_still_seconds: number[]
  /** Mean step of the arm outside its longest rest. */
  pace: number[]
  /** Mean jerk of the arm while it moves. */
  shake: number[]
  /** All episode numbers, longest standstill first, then slowest; starting at `offset` in this order. */
  least_motion: number[]
  /** Likewise, most jerk for their pace first. */
  most_variance: number[]
}

export interface Invite {
  id: string
  org_slug: string
  email: string
  org_role: 'admin' | 'member'
  project_slug: string | null
  project_role: 'admin' | 'editor' | 'viewer' | null
  invited_by: string | null
  created_at: string
  expires_at: string
  accepted_at: string | null
  revoked_at: string | null
}

export interface Lineage {
  nodes: LineageNode[]
  edges: {
    from: string
    to: string
  }[]
  /** There is more than these 300 or so. */
  truncated: boolean
}

export interface LineageNode {
  id: string
  kind: 'push' | 'import' | 'revision' | 'version' | 'export'
  title: string
  detail: string
  org_slug: string | null
  project_slug: string | null
  slug: string | null
  number: number | null
  state: string | null
  created_at: string | null
  /** False: named by what came from it; closed to you, or deleted. */
  readable: boolean
}

export interface MergePreview {
  episode_count: number
  frame_count: number
  duration_sec: number
  fps: number
  robot_type: string | null
  features: {
    name: string
    dtype: string
    shape: number[]
  }[]
  estimated_bytes: number
  /** `measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better. */
  estimate: 'settled' | 'measuring' | 'rough'
  sources: {
    source_index: number
    dataset_id: string
    title: string
    source_fps: number
    episode_count: number
    frame_count: number
    hours: number
    /** Of the frames that a sampler draws by weight; without weights, of all frames. */
    share: number
    cameras: {
      key: string
      name: string | null
      codec: string | null
      /** The recipe changes its pixels. */
      is_changed: boolean
    }[]
    /** By the first task of each episode, most frames first; 200 at most. */
    tasks: {
      task: string
      episode_count: number
      frame_count: number
      hours: number
    }[]
  }[]
  /** By the first task of each episode, most frames first; 200 at most. */
  tasks: {
    task: string
    episode_count: number
    frame_count: number
    hours: number
  }[]
}

export interface MergeSource {
  dataset_kind: 'catalog' | 'project' | 'version'
  dataset_id: string
  revision_id?: string | null | undefined
  recipe?: RecipeInput | undefined
  map?: SourceMap | undefined
  weight?: number | null | undefined
  sample?: number | null | undefined
  /** `units`: ranges that do not overlap are of one unit. */
  confirm?: 'units'[] | undefined
}

export interface MotionCurves {
  offset: number
  limit: number
  total: number
  /** Points per curve, spread evenly over its episode. */
  points: number
  /** The mean step that 255 stands for; the same for all episodes. */
  top: number
  /** By episode; empty where there is nothing to measure. */
  curves: number[][]
}

export interface Notification {
  id: string
  kind: 'transform_done' | 'export_ready' | 'team_invite' | 'episode_flag' | 'import_fail' | 'weekly_digest'
  /** `error`: it failed. `warning`: it was done, and something is missing or left to do. `info`: the rest. */
  severity: 'info' | 'warning' | 'error'
  title: string
  detail: string | null
  org_slug: string | null
  project_slug: string | null
  resource_kind: string
  resource_id: string
  /** Where it leads in the console. */
  url: string
  created_at: string
  read_at: string | null
}

export interface OpenedAnnotationSet {
  id: string
  name: string
  revision_number: number
  latest_version: number
  /** In the newest version. */
  episode_count: number
  created_by: string | null
  created_by_name: string | null
  created_at: string
  updated_at: string
  /** Of the episodes below. */
  version: number
  /** Newest first, at most 100. */
  versions: {
    version: number
    message: string
    episode_count: number
    created_by: string | null
    created_by_name: string | null
    created_at: string
  }[]
  episodes: EpisodeAnnotation[]
}

export interface OpenedReview {
  id: string
  org_slug: string
  project_slug: string
  /** Of the dataset or version. */
  dataset_id: string
  revision_number: number
  /** False when the dataset shows another revision by now, with its own numbers. */
  is_current: boolean
  name: string
  total: number
  decided: number
  kept: number
  left_out: number
  flagged: number
  people: {
    id: string
    name: string
  }[]
  created_by: string | null
  created_by_name: string | null
  created_at: string
  updated_at: string
  /** In the order in which they are looked at. */
  episodes: number[]
  verdicts: {
    episode_index: number
    verdict: 'keep' | 'leave_out' | 'flag'
    decided_by: string | null
    decided_by_name: string | null
    decided_at: string
  }[]
}

export interface OrgMember {
  user_id: string
  email: string
  display_name: string
  role: 'admin' | 'member'
  created_at: string
}

export interface Organization {
  id: string
  slug: string
  name: string
  /** Your role. */
  role: 'admin' | 'member'
  created_at: string
  updated_at: string
  /** Whether members need a session or token with a second proof. */
  require_two_step: boolean
  deletion_at: string | null
}

export interface OrganizationUsage {
  storage_bytes: number
  object_count: number
  quota_bytes: number | null
}

export interface PlatformStatus {
  /** `degraded`: stored contents are damaged or not read again in time, no worker runs, or nothing can be stored because the disk is full. */
  status: 'ok' | 'degraded'
  version: string
  storage_check: {
    /** Every stored content is read and compared with its sha256 within so many days. */
    period_days: number
    /** Contents that are known to be damaged: they are not given out until good bytes come in. */
    damaged_count: number
    longest_unread_at: string | null
    /** Whether what waits longest (`longest_unread_at`) was read within the period. */
    is_on_schedule: boolean
    last_walk: {
      ended_at: string
      content_count: number
      size_bytes: number
      /** Too much seemed wrong at once, so nothing was believed: the storage itself needs a look. */
      was_stopped: boolean
    } | null
  }
  /** Workers, on all machines, that have said within the last half minute that they live. */
  worker_count: number
  queue: {
    /** Jobs that could run now and wait for a worker. */
    due_count: number
    /** Jobs that wait for their next try. */
    later_count: number
    running_count: number
    oldest_due_at: string | null
  }
  /** False where the disk is full: reading goes on, nothing is stored. */
  takes_writes: boolean
}

export interface PreviewCuts {
  source: {
    /** `catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes. */
    dataset_kind: 'catalog' | 'project' | 'version'
    dataset_id: string
  }
  recipe: RecipeInput
  episode_index?: number | null | undefined
}

export interface PreviewMerge {
  sources: MergeSource[]
  /** Of what `sample` draws; 0 by default. */
  seed?: number | undefined
  /** By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay. */
  task_samples?: Record<string, number> | undefined
  /** Shares of the frames that a sampler draws, by task text, instead of by source. */
  task_weights?: Record<string, number> | undefined
}

export interface PreviewVersion {
  source: {
    /** `catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes. */
    dataset_kind: 'catalog' | 'project' | 'version'
    dataset_id: string
  }
  recipe: RecipeInput
  episode_index?: number | null | undefined
  camera_key?: string | null | undefined
}

export interface Project {
  org_slug: string
  project_slug: string
  name: string
  /** Your role; admins of the organization are admins of every project. */
  role: 'admin' | 'editor' | 'viewer'
  id: string
  status: 'active' | 'archived'
  created_at: string
  updated_at: string
  last_opened_at: string | null
}

export interface ProjectDataset {
  id: string
  org_slug: string
  project_slug: string
  slug: string
  title: string
  source_kind: string
  visibility: 'private' | 'public'
  source_uri: string | null
  read_model_path: string | null
  created_at: string
  updated_at: string
  description: string
  tags: string[]
  licence: string | null
  citation: string | null
  card_markdown: string | null
  hf_repo_id: string | null
  revision_id: string
  revision_number: number
  /** Language codes. */
  language: string[]
  work_name: string | null
  task_name: string | null
  robot_type: string | null
  embodiment: string | null
  robot_description_uri: string | null
  /** Fields set by hand; all others follow the card and the files of the revision that is shown. */
  edited_fields: ('title' | 'description' | 'tags' | 'language' | 'licence' | 'citation' | 'card_markdown' | 'work_name' | 'task_name' | 'robot_type' | 'embodiment' | 'robot_description_uri')[]
  total_episodes: number
  total_frames: number
  total_seconds: number
  camera_keys: string[]
  /** The first twenty. */
  tasks: string[]
  /** How many episodes are in each bin of the statistics' histogram of lengths. */
  length_histogram: number[]
  size_bytes: number
  published_at: string | null
  deletion_at: string | null
}

export interface ProjectMember {
  user_id: string
  email: string
  display_name: string
  role: 'admin' | 'editor' | 'viewer'
  created_at: string
}

export interface QueueExport {
  artifact_keys: ('lerobot' | 'lerobot-v2.1' | 'gr00t' | 'openpi-norm-stats' | 'rlds' | 'mcap' | 'robomimic' | 'zarr')[]
  /** By artifact key, e.g. `{"openpi-norm-stats": {"horizon": 50}}`; `GET …/export-targets` has what each takes. */
  options?: Record<string, Record<string, unknown>> | undefined
}

export interface Recipe {
  selected_episode_indices: number[] | null
  excluded_episode_indices: number[] | null
  where: {
    success: boolean | null
    tags_any: string[] | null
    tasks_any: string[] | null
    splits_any: string[] | null
    checks: Record<string, 'present' | 'absent'> | null
  } | null
  first_n_episodes: number | null
  trim: {
    ranges: Record<string, number[][]> | null
    inside: 'drop' | 'split' | null
    idle: {
      from: 'start' | 'end' | 'both' | 'anywhere' | null
      inside: 'drop' | 'split' | null
      signal: 'action' | 'observation.state' | 'both' | null
      min_idle_frames: number | null
      keep_frames: number | null
      threshold: number | null
    } | null
  } | null
  split: Record<string, {
    at: number[]
    tasks: string[] | null
  }> | null
  fps: number | null
  camera_keys: string[] | null
  crop: {
    left_pct: number
    top_pct: number
    width_pct: number
    height_pct: number
  } | null
  resize: {
    width: number
    height: number
    mode: 'fit' | 'fill' | 'stretch'
  } | null
  action: {
    smoothing_window: number | null
    smoothing_mode: 'mean' | 'median' | 'gaussian' | null
    smoothing_dimensions: string[] | null
    clip_min: number | null
    clip_max: number | null
    scale: number | null
    shift_frames: number | null
  } | null
  features: {
    drop: string[] | null
    rename: Record<string, string> | null
    dimensions: Record<string, string[]> | null
  } | null
  annotation_set_id: string | null
  annotation_set_version: number | null
  notes: string | null
}

export interface RecipeDraft {
  /** Others who may read the dataset open it by this id. */
  id: string
  dataset_id: string
  revision: number
  slug: string
  name: string
  /** A recipe in the making: it is checked when it is previewed or a version is made of it. */
  recipe: Record<string, unknown>
  user_id: string
  user_name: string
  created_at: string
  updated_at: string
}

export interface RecipeInput {
  selected_episode_indices?: number[] | null | undefined
  excluded_episode_indices?: number[] | null | undefined
  where?: {
    success?: boolean | null | undefined
    tags_any?: string[] | null | undefined
    tasks_any?: string[] | null | undefined
    splits_any?: string[] | null | undefined
    checks?: Record<string, 'present' | 'absent'> | null | undefined
  } | null | undefined
  first_n_episodes?: number | null | undefined
  trim?: {
    ranges?: Record<string, number[][]> | null | undefined
    inside?: 'drop' | 'split' | null | undefined
    idle?: {
      from?: 'start' | 'end' | 'both' | 'anywhere' | null | undefined
      inside?: 'drop' | 'split' | null | undefined
      signal?: 'action' | 'observation.state' | 'both' | null | undefined
      min_idle_frames?: number | null | undefined
      keep_frames?: number | null | undefined
      threshold?: number | null | undefined
    } | null | undefined
  } | null | undefined
  split?: Record<string, {
    /** Frames of the source at which a new part begins, ascending. */
    at: number[]
    tasks?: string[] | null | undefined
  }> | null | undefined
  fps?: number | null | undefined
  camera_keys?: string[] | null | undefined
  crop?: {
    left_pct: number
    top_pct: number
    width_pct: number
    height_pct: number
  } | null | undefined
  resize?: {
    width: number
    height: number
    /** `fit` keeps the aspect ratio and pads with black, `fill` keeps it and crops, `stretch` changes it. */
    mode?: 'fit' | 'fill' | 'stretch' | undefined
  } | null | undefined
  action?: {
    smoothing_window?: number | null | undefined
    smoothing_mode?: 'mean' | 'median' | 'gaussian' | null | undefined
    smoothing_dimensions?: string[] | null | undefined
    clip_min?: number | null | undefined
    clip_max?: number | null | undefined
    scale?: number | null | undefined
    shift_frames?: number | null | undefined
  } | null | undefined
  features?: {
    drop?: string[] | null | undefined
    rename?: Record<string, string> | null | undefined
    dimensions?: Record<string, string[]> | null | undefined
  } | null | undefined
  annotation_set_id?: string | null | undefined
  annotation_set_version?: number | null | undefined
  notes?: string | null | undefined
}

export interface RenameDataset {
  slug: string
}

export interface RetryImport {
  hf_token?: string | null | undefined
  options?: ImportOptions | null | undefined
}

export interface Review {
  id: string
  org_slug: string
  project_slug: string
  /** Of the dataset or version. */
  dataset_id: string
  revision_number: number
  /** False when the dataset shows another revision by now, with its own numbers. */
  is_current: boolean
  name: string
  total: number
  decided: number
  kept: number
  left_out: number
  flagged: number
  people: {
    id: string
    name: string
  }[]
  created_by: string | null
  created_by_name: string | null
  created_at: string
  updated_at: string
}

export interface Robot {
  id: string
  /** A dataset whose `robot_type` this is has this model, unless another is chosen. */
  name: string
  file_name: string
  kind: 'urdf' | 'zip'
  size_bytes: number
  sha256: string
  created_by: string | null
  created_at: string
}

export interface RunChecks {
  /** Whether pictures are decoded and looked at too. */
  pictures?: boolean | undefined
  /** Also where there are results of these rules and cut-offs already. */
  again?: boolean | undefined
}

export interface Session {
  id: string
  /** What is signed in. `browser` is one that has only been at the pages of the account so far. */
  program: 'console' | 'command_line' | 'operator' | 'other' | 'browser'
  /** Browser and system, as far as the program says what it is. */
  device: string
  /** The network address that it was seen at last. */
  address: string
  created_at: string
  last_seen_at: string
  /** Whether this request was made with it. */
  current: boolean
}

export interface SourceMap {
  /** Their camera to ours, or null. */
  cameras?: Record<string, string | null> | undefined
  /** Our feature to what it is made of; null leaves it out of the result. */
  features?: Record<string, {
    from?: string | undefined
    dimensions?: string[] | undefined
    names?: string[] | undefined
    unit?: string[] | Record<string, string[]> | undefined
    fill?: number | string | number[] | undefined
  } | null> | undefined
  /** Their task text to ours; `*` is any other text. */
  tasks?: Record<string, string> | undefined
  robot_type?: string | null | undefined
}

export interface StatusDetails {
  commit: string | null
  database: {
    version: string
    size_bytes: number
  }
  storage: 'folder' | 's3'
  disk: {
    free_bytes: number
    reserve_bytes: number
    size_bytes: number
  } | null
  workers: {
    /** Host and process, as in `claimed_by` of an import. */
    name: string
    started_at: string
    seen_at: string
    /** How many jobs it runs at a time. */
    concurrency: number
  }[]
  /** The newest hundred, each with the first ten that need it. */
  damaged: {
    sha256: string
    size_bytes: number
    /** `missing`, `mismatch` or `unreadable`. */
    fault: string
    sentence: string
    found_at: string
    needed_by_count: number
    needed_by: {
      /** What needs it: a `revision` of a dataset, an `import`, an `upload`, … */
      kind: string
      id: string
      path: string
      org_slug: string | null
      dataset_id: string | null
      title: string | null
    }[]
  }[]
}

export interface StoredFile {
  path: string
  size_bytes: number
  sha256: string
  href: string
}

export interface SuggestMap {
  sources: MergeSource[]
  /** Of what `sample` draws; 0 by default. */
  seed?: number | undefined
  /** By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay. */
  task_samples?: Record<string, number> | undefined
  /** Shares of the frames that a sampler draws, by task text, instead of by source. */
  task_weights?: Record<string, number> | undefined
}

export interface SuggestedMap {
  source_index: number
  dataset_id: string
  map: SourceMap
  rows: {
    kind: 'camera' | 'feature' | 'dimension' | 'unit' | 'task' | 'robot_type'
    theirs: string
    ours: string | null
    is_sure: boolean
    reason: string
  }[]
}

export interface Thumbnails {
  dataset_id: string
  urls: string[]
}

export interface UserProfile {
  id: string
  email: string
  display_name: string
  title: string
  timezone: string
  default_project_org_slug: string | null
  default_project_slug: string | null
  notification_preferences: {
    transform_done: {
      email: boolean
      in_app: boolean
    }
    export_ready: {
      email: boolean
      in_app: boolean
    }
    team_invite: {
      email: boolean
      in_app: boolean
    }
    episode_flag: {
      email: boolean
      in_app: boolean
    }
    import_fail: {
      email: boolean
      in_app: boolean
    }
    weekly_digest: {
      email: boolean
      in_app: boolean
    }
  }
}

export interface Version {
  name: string
  version: string
  api_version: string
  channel: 'stable' | 'dev'
  commit: string | null
  /** Version of the manifests and job objects. */
  schema_version: string
  lerobot_versions: string[]
}

export interface VersionArtifact {
  key: 'manifest' | 'lerobot' | 'lerobot-v2.1' | 'gr00t' | 'openpi-norm-stats' | 'rlds' | 'mcap' | 'robomimic' | 'zarr'
  label: string
  kind: 'manifest' | 'lerobot' | 'lerobot-v2.1' | 'gr00t' | 'openpi-norm-stats' | 'rlds' | 'mcap' | 'robomimic' | 'zarr'
  path: string
  media_type: string
  status: 'planned' | 'queued' | 'running' | 'ready' | 'failed'
  checksum_sha256: string | null
  size_bytes: number | null
  job_id: string | null
  error_message: string | null
}

export interface VersionFile {
  path: string
  size_bytes: number
  checksum_sha256: string
  url: string
  expires_at: string
}

export interface VersionPreview {
  episode_count: number
  frame_count: number
  duration_sec: number
  fps: number
  source_episode_count: number
  source_frame_count: number
  source_fps: number
  cut: {
    frame_count: number
    duration_sec: number
    /** Selected episodes that lose frames, dropped ones included. */
    episode_count: number
    /** Selected episodes of which no frame is left. */
    dropped_episode_count: number
    /** The seconds that each selected episode loses; those that lose none are not in it. */
    histogram: {
      bin_sec: number
      /** Entry i: episodes that lose from i to i + 1 bins. */
      episode_counts: number[]
    }
  } | null
  shortest_episode_sec: number
  longest_episode_sec: number
  mean_episode_sec: number
  tasks: {
    total: number
    items: {
      task: string
      episode_count: number
    }[]
  }
  splits: {
    name: string
    episode_count: number
  }[]
  /** Of the tar, from the stored files; of cameras that are encoded, from some frames that were. */
  estimated_bytes: number
  /** `measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better. */
  estimate: 'settled' | 'measuring' | 'rough'
  cameras: {
    /** The name that the source has for it. */
    key: string
    /** The name that the result has for it. */
    name: string
    label: string
    source_width: number
    source_height: number
    width: number
    height: number
    treatment: 'copy' | 'encode'
    reason: string
  }[]
  statistics: {
    /** Every feature below is computed over every frame of the result. */
    exact: boolean
    features: {
      name: string
      names: string[] | null
      exact: boolean
      sampled_episodes: number | null
      statistics: Record<string, number[]> | null
    }[]
  }
  frame: {
    camera_key: string
    episode_index: number
    frame_index: number
    before: {
      /** A signed address, or a `data:` URL of a small JPEG. */
      url: string
      width: number
      height: number
    }
    after: {
      /** A signed address, or a `data:` URL of a small JPEG. */
      url: string
      width: number
      height: number
    }
  } | null
  action: {
    episode_index: number
    names: string[]
    /** Per dimension: whether it has two to eight values in the whole stored dataset, like a gripper that is open or shut. Smoothing would give it values in between. */
    is_switch: boolean[]
    frame_index: number[]
    timestamp: number[]
    /** Per dimension, per frame. */
    before: ((number | null)[])[]
    /** Per dimension, per frame. */
    after: ((number | null)[])[]
  } | null
}

export interface WorkspaceImportIdempotencyLookup {
  idempotency_key: string
  idempotency_fingerprint?: string | null | undefined
}

export interface WorkspaceImportJob {
  id: string
  org_slug: string
  project_slug: string
  dataset_id: string | null
  dataset_slug: string
  title: string
  source_kind: 'huggingface' | 'hdf5' | 'lerobot' | 'version'
  source_uri: string | null
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  raw_object_path: string | null
  report_object_path: string | null
  read_model_path: string | null
  error_message: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  hf_repo_id: string | null
  hf_revision: string | null
  hdf5: Hdf5SourceSummary | null
  preview_assets: WorkspaceImportPreviewAsset[]
  started_at: string | null
  progress_pct: number | null
  progress_phase: string | null
  progress_message: string | null
  downloaded_bytes: number | null
  total_bytes: number | null
  attempt_count: number
  max_attempts: number
  claim_epoch: number
  claimed_by: string | null
  claimed_at: string | null
  claim_expires_at: string | null
  last_heartbeat_at: string | null
  retry_after: string | null
  last_error: string | null
  consistency_status: 'unknown' | 'ok' | 'missing_artifact' | 'checksum_mismatch' | 'orphaned' | 'error'
  consistency_checked_at: string | null
  consistency_error: string | null
  revision_id: string | null
  retry_of: string | null
  copied_from: CopiedFrom | null
  losses: ImportLosses | null
  dismissed_at: string | null
  cancel_requested_at: string | null
  finished_at: string | null
  error_code: string | null
  idempotency_key: string | null
  idempotency_fingerprint: string
}

export interface WorkspaceImportPreviewAsset {
  kind: 'image_preview' | 'video_preview' | 'video_mp4' | 'video_webm' | 'timeseries_parquet' | 'timeseries_arrow'
  /** Its last part is the `name` for `getImportPreviewUrl`. */
  path: string
  label: string
  content_type: 'image/png' | 'video/mp4' | 'video/webm' | 'application/vnd.apache.parquet' | 'application/vnd.apache.arrow.file'
  size_bytes: number
  sha256: string
  metadata: Record<string, unknown>
  [name: string]: unknown
}
