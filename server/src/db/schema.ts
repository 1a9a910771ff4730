import type { JobTables } from '../jobs/tables.ts'
import type { MigrationTables } from './migrations.ts'

/** Every table, as each noun declares its own in `<noun>/tables.ts`. */
export interface Schema extends MigrationTables, JobTables {}
