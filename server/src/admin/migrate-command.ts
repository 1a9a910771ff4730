import { readSchemaVersion } from '../db/migrations.ts'
import type { AdminCommand } from './command.ts'

/** The work is done before any command runs; this is the one that asks for nothing else. */
export const migrate: AdminCommand = {
  name: ['migrate'],
  positionals: [],
  options: {},
  optionUsage: [],
  about:
    'Bring the database to the schema of this program, as every start does; for a job that runs before an upgrade.',
  run: async () => `The database has schema version ${await readSchemaVersion()}.`,
}
