import type { Transaction } from '../db/database.ts'
import * as repository from './repository.ts'

/** What people said of a revision goes on with the one that has the same files: same episodes, same frames. Ids and history stay. */
export const moveCuration = (trx: Transaction, fromRevision: string, toRevision: string): Promise<void> =>
  repository.moveSubject(trx, fromRevision, toRevision)
