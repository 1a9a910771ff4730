import type { Finding } from './finding.ts'

/** Why a call was refused. `input` codes mean the data is wrong and a retry will not help. */
export type FormatErrorCode =
  | 'layout_unknown' // no layout recognises the files
  | 'layout_unsupported' // recognised, but a version or family we refuse
  | 'metadata_invalid' // a metadata file is missing, malformed or contradicts itself
  | 'container_invalid' // a Parquet, JSON, image or video file cannot be read
  | 'limit_exceeded' // a stated bound of this library was passed
  | 'path_refused' // a path leaves the tree, or is no plain file
  | 'episode_unreadable' // one episode cannot be used; the others can
  | 'no_episodes' // nothing usable is left
  | 'output_exists' // the target is not an empty folder
  | 'unsupported' // the library cannot do what was asked
  | 'video_not_joinable' // packets cannot be copied into one stream; re-encode
  | 'source_file_crashes_parser' // the child process that read a file died of it
  | 'parser_deadline' // a child process was not finished, or made no progress, in its time
  | 'parser_cpu' // reading took more processor seconds than its bytes allow
  | 'parser_memory' // a child process needed more memory than its bound
  | 'codec_missing' // the video codec library was left out of this installation
  | 'child_failed' // a child process could not be started or kept

/** The one error of this library. `message` is a sentence that names the place and, where there is one, the remedy. */
export class FormatError extends Error {
  readonly code: FormatErrorCode

  constructor(code: FormatErrorCode, sentence: string, options?: { cause?: unknown }) {
    super(sentence, options)
    this.name = 'FormatError'
    this.code = code
  }
}

/** An episode as a report names it, usable or not. */
export interface FoundEpisode {
  readonly sourceIndex: number
  readonly sourceId: string
  /** Null where nobody can tell. */
  readonly length: number | null
}

/** Of a source with too many, the first are listed and all are counted. */
export const maxFound = 10_000

/** `no_episodes`, with what there was and why each was left out: all that a report of the refusal can say. */
export class NoEpisodesError extends FormatError {
  readonly findings: readonly Finding[]
  readonly episodes: readonly FoundEpisode[]
  readonly episodeCount: number

  constructor(sentence: string, findings: readonly Finding[], episodes: readonly FoundEpisode[], episodeCount: number) {
    super('no_episodes', sentence)
    this.findings = findings
    this.episodes = episodes
    this.episodeCount = episodeCount
  }
}

/** The first line of any thrown thing, for use inside our own sentences. */
export function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  const firstLine = text.split('\n', 1)[0] ?? ''
  return firstLine.length > 300 ? `${firstLine.slice(0, 300)}…` : firstLine
}
