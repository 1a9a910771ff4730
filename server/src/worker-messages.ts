import type { Connection } from './db/database.ts'

/** What the process of the API says to a worker beside it. */
export type ToWorker =
  | { kind: 'begin'; connection: Connection; publicUrl: string; commit: string | null }
  | { kind: 'metrics'; id: number }

/** And what it hears. */
export type FromWorker = { kind: 'ready'; name: string } | { kind: 'metrics'; id: number; text: string }
