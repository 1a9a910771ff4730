import type { IncomingMessage } from 'node:http'
import type { SourceFile } from './source.ts'

/** A file at a source that can be asked for from any byte on. */
export interface RemoteFile {
  file: SourceFile
  host: string
  /** An answer with status 200, from the first byte whatever was asked, or 206, from the byte that was asked. All else throws. */
  open(range: ByteSpan | undefined, signal: AbortSignal): Promise<IncomingMessage>
  /** Whether a part that is asked for later is sure to be of the same content: a hash at the end, or `If-Range` on the way. */
  canResume(): boolean
}

export interface ByteSpan {
  from: number
  /** Exclusive. */
  to?: number
}
