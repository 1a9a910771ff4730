import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Job, jobColumns } from '../job.ts'

export const findJob = async (db: Database, id: string): Promise<Job | undefined> =>
  (await sql<Job>`select ${jobColumns} from jobs where id = ${id}`.execute(db)).rows[0]
