// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { CatalogEntry, CheckFindings, CheckRankings, CheckRule, CheckSummary, DatasetManifest, DatasetStatistics, EpisodeChecks, EpisodeMedia, EpisodeNavigation, EpisodePage, EpisodeRows, EpisodeSprite, FeatureStatistics, FilterOptions, FramesPage, Insights, MotionCurves, StoredFile, Thumbnails } from './records.ts'

export interface BrowseCatalogInput {
  q?: string | undefined
  /** Exactly this robot type. */
  robot_type?: string | undefined
  /** With this tag. */
  tag?: string | undefined
  /** With exactly this task among the first twenty. */
  task?: string | undefined
  /** By number of episodes. */
  size?: 'under-100' | '100-to-1k' | '1k-to-10k' | 'over-10k' | undefined
  /** By number of cameras. */
  cameras?: '0' | '1' | '2' | '3' | '4-or-more' | undefined
  /** Where it came from: `huggingface`, `hdf5` or `lerobot`; `version` for a copy of a version, `derived` for a published version. */
  source_kind?: string | undefined
  /** At least this much recorded. */
  min_seconds?: number | undefined
  /** At most this much recorded. */
  max_seconds?: number | undefined
  /** At least this size. */
  min_bytes?: number | undefined
  /** At most this size. */
  max_bytes?: number | undefined
  /** At least this many episodes. */
  min_episodes?: number | undefined
  /** At most this many episodes. */
  max_episodes?: number | undefined
  /** Names from A to Z; everything else newest, longest or largest first. */
  sort?: 'newest' | 'name' | 'recorded' | 'episodes' | 'size' | undefined
  limit?: number | undefined
  /** Whether the first page comes with `total`, `totals`, `facets` and `histograms`; without, it waits for no count. */
  counts?: boolean | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type BrowseCatalogAnswer = {
  items: CatalogEntry[]
  next_cursor: string | null
  total: number | null
  totals: {
    episodes: number
    seconds: number
    bytes: number
  } | null
  facets: {
    robot_type: {
      value: string
      count: number
    }[]
    tag: {
      value: string
      count: number
    }[]
    task: {
      value: string
      count: number
    }[]
    size: {
      value: string
      count: number
    }[]
    cameras: {
      value: string
      count: number
    }[]
    source_kind: {
      value: string
      count: number
    }[]
  } | null
  histograms: {
    /** Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive. */
    seconds: {
      low: number
      high: number
      count: number
    }[]
    /** Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive. */
    bytes: {
      low: number
      high: number
      count: number
    }[]
    /** Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive. */
    episodes: {
      low: number
      high: number
      count: number
    }[]
  } | null
}

export interface GetCatalogDatasetInput {
  dataset_id: string
  offset?: number | undefined
  limit?: number | undefined
  /** Part of a task's text, or an episode's number. */
  q?: string | undefined
  /** Only episodes of this split. */
  split?: string | undefined
  sort?: string | undefined
  /** Ties are sorted by number, in the same direction. */
  order?: 'asc' | 'desc' | undefined
}

export type GetCatalogDatasetAnswer = {
  item: DatasetManifest
}

export interface ListEpisodesInput {
  dataset_id: string
  offset?: number | undefined
  limit?: number | undefined
  /** Part of a task's text, or an episode's number. */
  q?: string | undefined
  /** Only episodes of this split. */
  split?: string | undefined
  sort?: string | undefined
  /** Ties are sorted by number, in the same direction. */
  order?: 'asc' | 'desc' | undefined
}

export type ListEpisodesAnswer = {
  item: EpisodePage
}

export interface GetEpisodeNavigationInput {
  dataset_id: string
  episode_index: string | number
}

export type GetEpisodeNavigationAnswer = {
  item: EpisodeNavigation
}

export interface ListFramesInput {
  dataset_id: string
  offset?: number | undefined
  limit?: number | undefined
  view?: string | undefined
  /** One camera only; default: all. */
  camera_key?: string | undefined
}

export type ListFramesAnswer = {
  item: FramesPage
}

export interface GetStatisticsInput {
  dataset_id: string
}

export type GetStatisticsAnswer = {
  item: DatasetStatistics
}

export interface GetFilteringInput {
  dataset_id: string
}

export type GetFilteringAnswer = {
  item: FilterOptions
}

export interface GetThumbnailsInput {
  dataset_id: string
}

export type GetThumbnailsAnswer = {
  item: Thumbnails
}

export interface GetFeatureStatisticsInput {
  dataset_id: string
}

export type GetFeatureStatisticsAnswer = {
  item: FeatureStatistics
}

export interface GetInsightsInput {
  dataset_id: string
  offset?: number | undefined
  limit?: number | undefined
}

export type GetInsightsAnswer = {
  item: Insights
}

export interface GetMotionCurvesInput {
  dataset_id: string
  offset?: number | undefined
  limit?: number | undefined
}

export type GetMotionCurvesAnswer = {
  item: MotionCurves
}

export interface ListFilesInput {
  dataset_id: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListFilesAnswer = {
  items: StoredFile[]
  next_cursor: string | null
}

export interface GetEpisodeRowsInput {
  dataset_id: string
  episode_index: string | number
  /** Names separated by commas; default: all columns of numbers and text. */
  columns?: string | undefined
  points?: number | undefined
  /** For a version that changes the action: also return `recorded.action`, the original. It can be named in `columns` too. */
  recorded?: boolean | undefined
  start_frame?: number | undefined
  /** Exclusive. */
  end_frame?: number | undefined
  format?: 'json' | 'csv' | 'arrow' | undefined
}

export type GetEpisodeRowsAnswer = {
  item: EpisodeRows
}

export interface GetEpisodeMediaInput {
  dataset_id: string
  episode_index: string | number
}

export type GetEpisodeMediaAnswer = {
  item: EpisodeMedia
}

export interface GetEpisodeSpriteUrlInput {
  dataset_id: string
  camera_key?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
}

export type GetEpisodeSpriteUrlAnswer = {
  item: EpisodeSprite
}

export type ListCheckRulesAnswer = {
  rule_set_version: number
  rules: CheckRule[]
}

export interface GetChecksInput {
  dataset_id: string
}

export type GetChecksAnswer = {
  item: CheckSummary
}

export interface ListCheckFindingsInput {
  dataset_id: string
  rule?: string | undefined
  family?: 'signals' | 'motion' | 'pictures' | 'sets' | undefined
  severity?: 'error' | 'warning' | 'info' | undefined
  episode_index?: number | undefined
  /** Of `rule`, which must be named, instead of the one in force; up to `loosest`. */
  cut_off?: number | undefined
  offset?: number | undefined
  limit?: number | undefined
}

export type ListCheckFindingsAnswer = {
  item: CheckFindings
}

export interface ListCheckRankingsInput {
  dataset_id: string
  rule?: string | undefined
  episode_index?: number | undefined
  order?: 'episode' | 'lowest' | 'highest' | undefined
  offset?: number | undefined
  limit?: number | undefined
}

export type ListCheckRankingsAnswer = {
  item: CheckRankings
}

export interface GetEpisodeChecksInput {
  dataset_id: string
  episode_index: string | number
}

export type GetEpisodeChecksAnswer = {
  item: EpisodeChecks
}

export interface CatalogOperations {
  /**
   * Browse the public datasets.
   *
   * Every word of `q` must begin a word of the title, slug, tags, tasks, robot type, embodiment, work or description. `facets` and `histograms` count what each filter value would leave, and are only sent with the first page.
   *
   * `GET /api/v1/catalog/datasets` · no credential needed
   */
  browseCatalog(input?: BrowseCatalogInput, options?: CallOptions): Promise<BrowseCatalogAnswer>
  /** Every item of every page of `browseCatalog`. */
  iterateCatalog(input?: BrowseCatalogInput, options?: CallOptions): AsyncGenerator<BrowseCatalogAnswer['items'][number]>
  /**
   * Get a dataset's manifest.
   *
   * Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}` · no credential needed
   */
  getCatalogDataset(input: GetCatalogDatasetInput, options?: CallOptions): Promise<GetCatalogDatasetAnswer>
  /**
   * List the episodes of a dataset.
   *
   * Every page costs the same at any offset. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/episodes` · no credential needed
   */
  listEpisodes(input: ListEpisodesInput, options?: CallOptions): Promise<ListEpisodesAnswer>
  /** Every item of every page of `listEpisodes`. */
  iterateEpisodes(input: ListEpisodesInput, options?: CallOptions): AsyncGenerator<ListEpisodesAnswer['item']['items'][number]>
  /**
   * Get an episode and its neighbours.
   *
   * Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/navigation` · no credential needed
   */
  getEpisodeNavigation(input: GetEpisodeNavigationInput, options?: CallOptions): Promise<GetEpisodeNavigationAnswer>
  /**
   * List the first or last frames of the episodes.
   *
   * Each stream names the shared video file with the seconds of the episode in it, and a picture of the frame. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/frames` · no credential needed
   */
  listFrames(input: ListFramesInput, options?: CallOptions): Promise<ListFramesAnswer>
  /** Every item of every page of `listFrames`. */
  iterateFrames(input: ListFramesInput, options?: CallOptions): AsyncGenerator<ListFramesAnswer['item']['items'][number]>
  /**
   * Get the statistics of the episodes.
   *
   * Exact, over every episode. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/statistics` · no credential needed
   */
  getStatistics(input: GetStatisticsInput, options?: CallOptions): Promise<GetStatisticsAnswer>
  /**
   * Get the episodes that move unusually little or shake unusually much.
   *
   * Every frame of every episode is scored; each list holds at most 1,000. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/filtering` · no credential needed
   */
  getFiltering(input: GetFilteringInput, options?: CallOptions): Promise<GetFilteringAnswer>
  /**
   * Get pictures of a few episodes.
   *
   * Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/thumbnails` · no credential needed
   */
  getThumbnails(input: GetThumbnailsInput, options?: CallOptions): Promise<GetThumbnailsAnswer>
  /**
   * Get mean, spread and quantiles of every feature.
   *
   * Over every row, computed at import. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/feature-statistics` · no credential needed
   */
  getFeatureStatistics(input: GetFeatureStatisticsInput, options?: CallOptions): Promise<GetFeatureStatisticsAnswer>
  /**
   * Get length, motion and variance of every episode, for plots.
   *
   * Arrays by episode number, starting at `offset`. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/insights` · no credential needed
   */
  getInsights(input: GetInsightsInput, options?: CallOptions): Promise<GetInsightsAnswer>
  /**
   * Get a motion curve of each episode, for rows of a list.
   *
   * By episode number, starting at `offset`. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/motion-curves` · no credential needed
   */
  getMotionCurves(input: GetMotionCurvesInput, options?: CallOptions): Promise<GetMotionCurvesAnswer>
  /**
   * List the files of the stored dataset.
   *
   * The LeRobot v3 dataset as it is stored, file by file. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/files` · no credential needed
   */
  listFiles(input: ListFilesInput, options?: CallOptions): Promise<ListFilesAnswer>
  /** Every item of every page of `listFiles`. */
  iterateFiles(input: ListFilesInput, options?: CallOptions): AsyncGenerator<ListFilesAnswer['items'][number]>
  /**
   * The rows of an episode as JSON, CSV or Arrow.
   *
   * JSON is for charts: at most `points` positions. A longer episode is cut into buckets of equal length; each gives two positions, its first and last frame, which show the smallest and the largest value of the bucket in the order in which they came, so no peak is lost. CSV and Arrow (IPC file) hold every row, and are sent as fast as they are read.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/rows` · no credential needed
   */
  getEpisodeRows(input: GetEpisodeRowsInput, options?: CallOptions): Promise<GetEpisodeRowsAnswer>
  /**
   * Get the media URLs of an episode.
   *
   * Signed URLs per camera: the video file with the seconds of the episode in it, a poster, a strip of eight frames, a clip to save. They are the same within an hour.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/media` · no credential needed
   */
  getEpisodeMedia(input: GetEpisodeMediaInput, options?: CallOptions): Promise<GetEpisodeMediaAnswer>
  /**
   * Get the thumbnails of a page of episodes.
   *
   * One picture with the first frames of episodes `offset` to `offset + limit`, one below the other, for tables: tile i begins at pixel row i times `tile_height`.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/episode-sprite` · no credential needed
   */
  getEpisodeSpriteUrl(input: GetEpisodeSpriteUrlInput, options?: CallOptions): Promise<GetEpisodeSpriteUrlAnswer>
  /**
   * List the rules of the checks.
   *
   * What each measures, from where on something is found, and what to do about it.
   *
   * `GET /api/v1/checks/rules` · no credential needed
   */
  listCheckRules(input?: Record<string, never>, options?: CallOptions): Promise<ListCheckRulesAnswer>
  /**
   * Get what the checks found, in numbers.
   *
   * Of the revision that is shown, or of the version: where the checks stand, counts by rule, family and severity at the cut-offs in force, and which episodes to look at first. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/checks` · no credential needed
   */
  getChecks(input: GetChecksInput, options?: CallOptions): Promise<GetChecksAnswer>
  /**
   * List what the checks found.
   *
   * The most severe first, then by rule, episode and frame. With `rule` and `cut_off`: what that cut-off finds, at once, where the rule keeps it. A rule lists at most a thousand, and twenty of an episode. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/checks/findings` · no credential needed
   */
  listCheckFindings(input: ListCheckFindingsInput, options?: CallOptions): Promise<ListCheckFindingsAnswer>
  /** Every item of every page of `listCheckFindings`. */
  iterateCheckFindings(input: ListCheckFindingsInput, options?: CallOptions): AsyncGenerator<ListCheckFindingsAnswer['item']['items'][number]>
  /**
   * List what rules measure of every episode.
   *
   * Rankings are no verdicts: a value, a rank and a percentile for each episode, of one rule or of all of them, one after the other. Some rules that flag rank too. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/checks/rankings` · no credential needed
   */
  listCheckRankings(input: ListCheckRankingsInput, options?: CallOptions): Promise<ListCheckRankingsAnswer>
  /** Every item of every page of `listCheckRankings`. */
  iterateCheckRankings(input: ListCheckRankingsInput, options?: CallOptions): AsyncGenerator<ListCheckRankingsAnswer['item']['items'][number]>
  /**
   * Get what the checks found in one episode, and its rankings.
   *
   * Its findings at the cut-offs in force, its value, rank and percentile by every rule that ranks, and its place among the episodes to look at first. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else.
   *
   * `GET /api/v1/catalog/datasets/{dataset_id}/checks/episodes/{episode_index}` · no credential needed
   */
  getEpisodeChecks(input: GetEpisodeChecksInput, options?: CallOptions): Promise<GetEpisodeChecksAnswer>
}

export const catalogOperations: OperationTable = {
  browseCatalog: { method: 'GET', path: '/api/v1/catalog/datasets', query: ['q', 'robot_type', 'tag', 'task', 'size', 'cameras', 'source_kind', 'min_seconds', 'max_seconds', 'min_bytes', 'max_bytes', 'min_episodes', 'max_episodes', 'sort', 'limit', 'counts', 'cursor'], paging: 'cursor', repeatable: true },
  getCatalogDataset: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}', query: ['offset', 'limit', 'q', 'split', 'sort', 'order'], repeatable: true },
  listEpisodes: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/episodes', query: ['offset', 'limit', 'q', 'split', 'sort', 'order'], paging: 'offset', repeatable: true },
  getEpisodeNavigation: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/navigation', repeatable: true },
  listFrames: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/frames', query: ['offset', 'limit', 'view', 'camera_key'], paging: 'offset', repeatable: true },
  getStatistics: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/statistics', repeatable: true },
  getFiltering: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/filtering', repeatable: true },
  getThumbnails: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/thumbnails', repeatable: true },
  getFeatureStatistics: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/feature-statistics', repeatable: true },
  getInsights: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/insights', query: ['offset', 'limit'], repeatable: true },
  getMotionCurves: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/motion-curves', query: ['offset', 'limit'], repeatable: true },
  listFiles: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/files', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  getEpisodeRows: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/rows', query: ['columns', 'points', 'recorded', 'start_frame', 'end_frame', 'format'], repeatable: true },
  getEpisodeMedia: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/media', repeatable: true },
  getEpisodeSpriteUrl: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/episode-sprite', query: ['camera_key', 'offset', 'limit'], repeatable: true },
  listCheckRules: { method: 'GET', path: '/api/v1/checks/rules', repeatable: true },
  getChecks: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/checks', repeatable: true },
  listCheckFindings: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/checks/findings', query: ['rule', 'family', 'severity', 'episode_index', 'cut_off', 'offset', 'limit'], paging: 'offset', repeatable: true },
  listCheckRankings: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/checks/rankings', query: ['rule', 'episode_index', 'order', 'offset', 'limit'], paging: 'offset', repeatable: true },
  getEpisodeChecks: { method: 'GET', path: '/api/v1/catalog/datasets/{dataset_id}/checks/episodes/{episode_index}', repeatable: true },
}
