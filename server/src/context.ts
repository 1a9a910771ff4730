import type { Config } from './config.ts'
import type { ReadableKind } from './datasets/readable.ts'
import type { Connection, Database } from './db/database.ts'
import type { Peers } from './db/peers.ts'
import type { Replica } from './db/replica.ts'
import type { HeldBodies } from './http/bodies/held-bodies.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { SendMail } from './notifications/mail.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { DiskReserve } from './storage/disk-reserve.ts'
import type { GuardedStorage } from './storage/storage.ts'

/** What every handler and service may reach. Made once in app.ts; tests make the same one on a database of their own. */
export interface Context {
  config: Config
  /** Address people and links use, without a slash at its end. */
  publicUrl: string
  /** What the program was built from, where that is known. */
  commit: string | null
  db: Database
  /** For what may be seconds old: the database itself, where there is none. */
  replica: Replica
  /** For what needs a connection of its own, which is listening; absent where nothing does. */
  connection: Connection | undefined
  /** The other APIs of the database, so that limits hold for all together; nobody, where this is no API. */
  peers: Peers
  log: Log
  sendMail: SendMail
  storage: GuardedStorage
  /** What is kept free on the disk of the data folder. */
  diskReserve: DiskReserve
  /** Opens and seals what only processes with the key of the database may read. */
  secrets: Secrets
  /** Receives the bodies of requests. */
  incoming: HeldBodies
  /** Holds large answers for those who read them. */
  outgoing: HeldBodies
  /** Signs media URLs; the same in every process of one database. */
  mediaUrlKey: string
  /** What can be read like a dataset, such as versions. */
  readables: readonly ReadableKind[]
  metrics: Metrics
  /** Run when the program ends, last first: parts with a life add theirs when they begin. */
  closers: (() => Promise<void>)[]
}
