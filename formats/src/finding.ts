/** `error`: data was left out. `warning`: data was changed or may mislead. `info`: an oddity that changes nothing. */
export type Severity = 'error' | 'warning' | 'info'

export interface Finding {
  /** Stable: reports, filters and docs refer to it. */
  readonly rule: RuleId
  readonly severity: Severity
  /** The source's own episode number; null when it concerns the dataset. */
  readonly episode: number | null
  readonly sentence: string
}

/** Every rule: its severity and what is done about it. `docs/formats.md` lists them, and a test holds the two together. */
export const rules = {
  'episode-rows-missing': ['error', 'The metadata names the episode, but the data files have no rows of it; left out.'],
  'episode-rows-disordered': ['error', 'The rows do not run 0, 1, 2, … by frame_index, or are interrupted; left out.'],
  'episode-rows-nameless': [
    'warning',
    'The data files have rows of an episode that the metadata does not name; not used.',
  ],
  'episode-repeated': ['error', 'The metadata names the episode more than once; the first is used.'],
  'episode-length-differs': ['warning', 'The metadata gives a different length than the rows have; the rows are used.'],
  'episode-file-unreadable': [
    'error',
    "The episode's data file is damaged or does not fit the declared features; left out.",
  ],
  'episode-empty': ['error', 'The episode has no frames; left out.'],
  'episode-numbers-gap': ['warning', 'Episode numbers do not run 0, 1, 2, …; renumbered, the source number is kept.'],
  'video-missing': ['error', "A camera's video is missing for some episodes; those are left out."],
  'camera-missing': ['warning', "A camera's video is missing for every episode; the camera is dropped."],
  'video-unreadable': [
    'error',
    'A video cannot be read, or uses an unsupported codec; the episodes in it are left out.',
  ],
  'video-frames-differ': ['error', 'A video has fewer frames than the episode has rows; left out.'],
  'video-frames-spare': ['warning', 'A video has more frames than the episode has rows; the first ones are used.'],
  'video-size-differs': ['warning', "A video has a different picture size than declared; the file's size is used."],
  'video-sizes-mixed': [
    'error',
    'The videos of one camera differ in picture size; episodes that differ from the first are left out.',
  ],
  'video-start-not-keyframe': ['warning', 'An episode does not start on a keyframe; its frames are encoded again.'],
  'video-off-grid': [
    'warning',
    'Frame times are not an exact i/fps grid; the video is written on the grid, packets unchanged.',
  ],
  'video-start-off-grid': [
    'warning',
    'from_timestamp of an episode is no frame of its video, or another than its own first; frames are counted instead.',
  ],
  'timestamps-irregular': [
    'warning',
    'Row times are not an i/fps grid; rebuilt, originals kept as observation.source_timestamp.',
  ],
  'index-rebuilt': ['info', 'The index column does not count the rows; rebuilt.'],
  'task-unknown': ['warning', 'A task_index names no task; an empty task is used.'],
  'tasks-disordered': ['warning', 'The task table is not sorted 0, 1, 2, …; read by its task_index.'],
  'tasks-missing': ['warning', 'There is no task table; an empty task is used.'],
  'tasks-old-index': ['info', 'The task table uses the index column name of lerobot <= 0.4.4.'],
  'split-unreadable': [
    'warning',
    'A split is not a range or list of episodes; not used, its episodes stay outside it.',
  ],
  'split-empty': ['info', 'A split has no episodes; not kept.'],
  'split-episodes-missing': [
    'warning',
    'A split names episodes that are missing or were left out; it keeps the others.',
  ],
  'splits-differ': [
    'warning',
    'info.json and the sidecar of an exported dataset give different splits; info.json is used.',
  ],
  'splits-kept': ['info', 'The source defines splits; each episode keeps its own.'],
  'json-not-finite': ['info', 'A JSON file contains NaN or Infinity; read as null.'],
  'fps-fractional': ['info', 'fps is written as a float with a whole value; read as that integer.'],
  'fps-rounded': ['warning', 'fps is not a whole number, as LeRobot v3 needs; rounded, times rebuilt.'],
  'names-nested': ['info', 'Dimension names are nested (a list in a list, or a dict of one list).'],
  'names-mismatch': ['warning', 'Dimension names do not fit the shape; index labels are used.'],
  'camera-names-unusual': ['info', 'A camera lacks the names height, width, channels; added.'],
  'shape-channel-first': ['info', 'A camera is declared channels first; read as such.'],
  'video-info-legacy': ['info', 'Video facts are under video_info, the key of sets converted from v1.'],
  'depth-marker-legacy': ['info', 'A depth camera is marked by video.is_depth_map, the key of lerobot <= 0.5.'],
  'feature-undeclared': ['warning', 'The data files have a column that info.json does not declare; dropped.'],
  'feature-absent': ['warning', 'info.json declares a feature that the data files do not have; dropped.'],
  'feature-unsupported': ['warning', 'A feature has a dtype or shape that LeRobot v3 cannot hold; dropped.'],
  'feature-name-slash': ['warning', 'A feature name contains "/", which LeRobot forbids; replaced by "_".'],
  'feature-dtype-differs': ['info', 'A column is stored in a different type than declared; converted.'],
  'stats-hybrid': [
    'info',
    'A v2.1 set has stats.json instead of episodes_stats.jsonl, or a v2.0 set the reverse; not used anyway.',
  ],
  'stats-missing': ['info', 'The source has no statistics; they are always computed from the data.'],
  'stats-disordered': [
    'warning',
    "The source's statistics contradict each other (min above max, quantiles out of order); they are computed from the data.",
  ],
  'stats-stale': [
    'warning',
    "The source's statistics contradict its data, so whoever trains on the source normalises wrongly; they are computed from the data.",
  ],
  'values-not-finite': [
    'warning',
    'A column contains NaN or infinite values; they are kept, but left out of the statistics.',
  ],
  'totals-differ': ['warning', 'total_episodes or total_frames does not match the data; the data is used.'],
  'metadata-optional-absent': [
    'info',
    'The episode table lacks optional columns (tasks, stats); recovered from the rows.',
  ],
  'metadata-extra-columns': ['info', 'The episode table has extra columns (subtask marks); not carried over.'],
  'subtasks-present': [
    'info',
    'meta/subtasks.parquet of lerobot 0.4.4 to 0.5.1 is present; the column subtask_index is kept, the texts go to the sidecar.',
  ],
  'language-present': ['info', 'Language annotation columns are present; carried through.'],
  'metadata-parquet-foreign': ['info', 'A data file lacks the huggingface metadata (pandas or converter output).'],
  'leftover-images': ['info', 'An images/ folder of the recorder was left behind; ignored.'],
  'array-feature': ['info', "A feature has two or more dimensions; lerobot's own edit tools fail on such features."],
  'picture-repeated': ['warning', 'A picture was missing or unreadable; the one before it is repeated.'],
  'picture-padded': ['info', 'Pictures of odd size were padded by one pixel, as 4:2:0 video needs.'],
  'video-encoded': ['info', 'Pictures of a camera were encoded as video.'],
  'camera-not-measured': [
    'warning',
    'There is no video codec in this installation; the camera has no statistics and no previews.',
  ],
  'statistics-of-whole': [
    'info',
    'The camera statistics of shortened episodes are those of their whole recordings; on episodes that were measured they agree.',
  ],
  'statistics-of-keyframes': [
    'info',
    'The camera statistics of a large dataset are those of some keyframes of each episode; on episodes that were measured by the sample of frames which LeRobot takes they agree.',
  ],
  'episode-checked-in-part': [
    'warning',
    'The episode has more values of state and action than are held at once (16 million); the checks have looked at its first frames. Split it to check all of it.',
  ],
  'elsewhere-compared-in-part': [
    'info',
    'The project has more episodes than those of a dataset are compared with for near-duplicates; the newest datasets were.',
  ],
  'signal-missing': [
    'info',
    'The set has no state or no action; the checks that need it say nothing. Say which columns they are, if it has them by other names.',
  ],
  'role-column-missing': [
    'warning',
    'A column that was set as state or action of the dataset is not in this revision; it is found by name. Set another one.',
  ],
  'episode-too-short': [
    'info',
    'Episodes have one frame or none, so the checks can say nothing of their motion. Leave them out.',
  ],
  'dimensions-checked-in-part': [
    'info',
    'State and action have so many dimensions that the checks which compare them look at the first ones only.',
  ],
  'card-unreadable': ['warning', 'README.md or its front matter cannot be read; it is not used for the dataset card.'],
  'card-shortened': ['warning', 'A part of README.md is too long or in an unknown form; left out of the card.'],
  assumed: ['info', 'The source does not say; the value used is an assumption and can be set with an option.'],
  stated: ['info', 'The source states a value that decides how it is read (rate, colour order, orientation).'],
  'file-unreadable': ['error', 'A file cannot be read or is refused; its episodes are left out.'],
  'file-layout-differs': ['error', 'A file is laid out differently from the first; its episodes are left out.'],
  'file-left-out': [
    'warning',
    'A file beside the recordings is too large to be kept, or has the name of a part of the dataset; left out.',
  ],
  'git-not-kept': ['info', "Files of `.git` are git's own, and start programs for whoever downloads them; not kept."],
  'links-skipped': ['info', 'Soft links of an HDF5 file are not followed.'],
  'array-left-out': [
    'info',
    'An array does not have one row per frame, or has a size or type that a LeRobot column cannot hold; left out.',
  ],
  'signal-left-out': [
    'warning',
    'What the file calls its observations, its actions or a camera has a size or type that cannot be held; dropped.',
  ],
  'array-length-differs': ['warning', 'The arrays of an episode differ in length; the shortest length is used.'],
  'episode-arrays-differ': [
    'error',
    'An episode lacks an array that most episodes have, or has it in a different shape; left out.',
  ],
  'array-rare': ['warning', 'An array is missing in more than half of the episodes; dropped.'],
} as const satisfies Record<string, readonly [Severity, string]>

export type RuleId = keyof typeof rules

const dropping = new Set<string>([
  'camera-missing',
  'feature-undeclared',
  'feature-unsupported',
  'array-rare',
  'signal-left-out',
  'split-unreadable',
  'episode-rows-nameless',
  'file-left-out',
] satisfies RuleId[])

/** Whether the rule tells of something that the source has and the result has not, though every episode may be there. */
export const isDropping = (rule: string): boolean => dropping.has(rule)

const maxPerRule = 1000

/** Collects findings; keeps at most a thousand per rule and counts the rest, so a hostile dataset cannot fill the memory. */
export class Findings {
  readonly list: Finding[] = []
  readonly #counts = new Map<RuleId, number>()
  readonly #said = new Set<string>()

  add(rule: RuleId, sentence: string, episode: number | null = null): void {
    const count = (this.#counts.get(rule) ?? 0) + 1
    this.#counts.set(rule, count)
    if (count <= maxPerRule) this.list.push({ rule, severity: rules[rule][0], episode, sentence })
  }

  /** Once per rule and sentence: for oddities that every file of a dataset shares. */
  addOnce(rule: RuleId, sentence: string): void {
    if (this.#said.has(sentence)) return
    this.#said.add(sentence)
    this.add(rule, sentence)
  }

  /** Takes back what was said of an episode since there were `from` findings, once it turns out that it is left out. */
  forgetEpisode(episode: number, from = 0): void {
    for (let at = this.list.length - 1; at >= from; at--) {
      const finding = this.list[at]
      if (finding?.episode !== episode) continue
      this.list.splice(at, 1)
      this.#counts.set(finding.rule, this.count(finding.rule) - 1)
    }
  }

  count(rule: RuleId): number {
    return this.#counts.get(rule) ?? 0
  }
}
