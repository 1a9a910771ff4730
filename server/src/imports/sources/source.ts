import type { Context } from '../../context.ts'
import type { TransferLimits } from './transfer-limits.ts'

export interface SourceFile {
  /** Relative, with forward slashes; checked: it never leads out of the folder it is written to. */
  path: string
  /** Null where the source does not say. */
  sizeBytes: number | null
  /** What the source announces, in hex; `read` holds the bytes against it. */
  sha256: string | null
  /** Of the git blob, for files that a repository keeps itself. */
  gitSha1?: string
}

/** A remote dataset, its content pinned: what is read later is what was listed. */
export interface OpenedSource {
  /** The commit, where there is one. */
  revision: string | null
  /** Where it came from, without secrets. */
  uri: string
  files: SourceFile[]
  /**
   * The bytes in order. A broken transfer is resumed inside; size and hash are checked at the end, so nothing of it may
   * be used before the sequence has ended without an error. `source_corrupt` and `source_changed`: read it anew.
   */
  read(file: SourceFile, signal: AbortSignal): AsyncIterable<Uint8Array>
}

export interface HuggingFaceRequest {
  kind: 'huggingface'
  repoId: string
  revision: string | null
  token: string | null
}

export interface UrlRequest {
  kind: 'url'
  url: string
}

export type SourceRequest = HuggingFaceRequest | UrlRequest

/** What a kind of source is to the registry. */
export type OpenSource<Request extends SourceRequest> = (
  context: Pick<Context, 'config'>,
  request: Request,
  signal: AbortSignal,
  limits: TransferLimits,
) => Promise<OpenedSource>
