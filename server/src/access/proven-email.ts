import type { Database } from '../db/database.ts'
import * as repository from './repository.ts'

/** Whether a person has shown that the mailbox of their e-mail is theirs. */
export const isEmailProven = (db: Database, userId: string): Promise<boolean> => repository.isEmailProven(db, userId)

/** They opened a link from that mailbox, or somebody who knows vouches for it. */
export const proveEmail = (db: Database, userId: string): Promise<void> => repository.markEmailProven(db, userId)
