import type { Config } from './config.ts'
import type { Connection } from './db/database.ts'
import type { PassedAnswer, PassedRequest } from './http/bodies/large-requests.ts'

/** What the thread for large requests is started with. */
export interface ThreadData {
  config: Config
  publicUrl: string
  connection: Connection
}

export type ThreadQuestion = { id: number; request: PassedRequest } | 'end'
export type ThreadAnswer = PassedAnswer & { id: number }
