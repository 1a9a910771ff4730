/** What the transport must know about an operation; the generated tables hold one per operation id. */
export interface Operation {
  method: string
  /** As OpenAPI writes it, with `{names}`. */
  path: string
  query?: readonly string[]
  headers?: readonly string[]
  hasBody?: boolean
  answersBytes?: boolean
  paging?: 'cursor' | 'offset'
  /** Calling it twice does no more than calling it once. */
  repeatable?: boolean
  /** A key in the body makes it repeatable; the client adds one when none is given. */
  keyPlace?: 'body'
}

export type OperationTable = Record<string, Operation>

export interface CallOptions {
  signal?: AbortSignal | undefined
  headers?: Record<string, string> | undefined
  /** Attempts in all, 5 unless said; 1 turns retries off. */
  attempts?: number | undefined
  /** Of one attempt, until its headers are there; 60 s unless said. */
  timeoutMs?: number | undefined
}
