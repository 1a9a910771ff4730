import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Generated } from 'kysely'
import type pg from 'pg'

export interface MigrationTables {
  schema_migrations: {
    version: number
    name: string
    checksum: string
    applied_at: Generated<Date>
  }
}

interface Migration {
  version: number
  name: string
  checksum: string
  sql: string
}

export const migrationFolder = join(import.meta.dirname, '..', '..', 'migrations')

const oldestServer = 150_000
// Any constant of our own: it names this lock among the advisory locks of the database.
const migrationLock = 7_236_401

/**
 * Brings the schema to the newest version and answers that version. Programs that start together wait for each
 * other. Refuses a schema that a newer program made, a file that was changed after it ran, and a file that was
 * slipped in before one that ran: each would leave two databases of one version that differ.
 */
export const migrateDatabase = async (pool: pg.Pool, folder = migrationFolder): Promise<number> => {
  const known = await readMigrations(folder)
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    await requireServer(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
    )
    const applied = await client.query<Omit<Migration, 'sql'>>(
      'select version, name, checksum from schema_migrations order by version',
    )
    requireSameHistory(applied.rows, known)
    for (const migration of known.slice(applied.rows.length)) await applyMigration(client, migration)
    return known.at(-1)?.version ?? 0
  } finally {
    // The session ends with its lock and settings; a pooled one would carry them on.
    client.release(true)
  }
}

/** The version of the schema that this program's files make. */
export const readSchemaVersion = async (folder = migrationFolder): Promise<number> =>
  (await readMigrations(folder)).at(-1)?.version ?? 0

const readMigrations = async (folder: string): Promise<Migration[]> => {
  const migrations: Migration[] = []
  for (const name of (await readdir(folder)).sort()) {
    if (!name.endsWith('.sql')) continue
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
    if (!version) throw new Error(`${join(folder, name)}: a migration is named 0001_what_it_does.sql.`)
    if (migrations.at(-1)?.version === version) {
      throw new Error(`Two migrations have the number ${version} in ${folder}. Renumber the newer one.`)
    }
    const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
    migrations.push({ version, name, checksum: createHash('sha256').update(sql).digest('hex'), sql })
  }
  return migrations
}

const requireServer = async (client: pg.PoolClient): Promise<void> => {
  const { rows } = await client.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  )
  if (Number(rows[0]?.number) < oldestServer) {
    throw new Error(`The database is PostgreSQL ${rows[0]?.version}; this program needs 15 or newer.`)
  }
}

const requireSameHistory = (applied: Omit<Migration, 'sql'>[], known: Migration[]): void => {
  const newest = known.at(-1)?.version ?? 0
  const newer = applied.find((migration) => migration.version > newest)
  if (newer) {
    throw new Error(
      `The database has schema version ${applied.at(-1)?.version}, and this program knows ${newest} as the newest. Start a newer program, or restore the backup made before the upgrade.`,
    )
  }
  for (const [index, migration] of applied.entries()) {
    const file = known[index]
    if (file?.version !== migration.version) {
      throw new Error(
        `The database ran ${migration.name} where this program has ${file?.name ?? 'no file'}. Migrations only go forward: give a new file a number after the newest.`,
      )
    }
    if (file.checksum !== migration.checksum) {
      throw new Error(
        `${file.name} was changed after it ran on this database. Restore the file, and put the change in a new one.`,
      )
    }
  }
}

const applyMigration = async (client: pg.PoolClient, { version, name, checksum, sql }: Migration): Promise<void> => {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      version,
      name,
      checksum,
    ])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed and was undone: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
}
