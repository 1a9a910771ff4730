import type { Config } from '../config.ts'
import { type ConnectedDatabase, connectDatabase } from '../db/connect.ts'
import { createLog } from '../log.ts'

/** What operators do takes long sessions, which no pooler has. */
export function connectOperator(config: Config): Promise<ConnectedDatabase> {
  const { NMP_DATABASE_DIRECT_URL: direct, ...rest } = config
  return connectDatabase(
    { ...(direct ? { ...rest, NMP_DATABASE_URL: direct } : config), applicationName: 'nmp admin' },
    createLog(config.NMP_LOG_LEVEL),
  )
}
