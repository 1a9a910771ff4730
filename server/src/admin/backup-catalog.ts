import type pg from 'pg'

/** What this database consists of, asked of PostgreSQL itself: a new migration needs no change here. */
export interface TableShape {
  name: string
  /** Those that are stored; generated ones follow from them. */
  columns: string[]
}

export interface SequenceState {
  name: string
  /** The value it gives next. A bigint as text. */
  next: string
}

/** Made anew by the migrations and never restored. */
const historyTable = 'schema_migrations'

export async function listTables(client: pg.ClientBase): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(
    `select c.relname as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             order by a.attnum) as columns
     from pg_class c
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> $1
     order by c.relname`,
    [historyTable],
  )
  return rows
}

/** Read after the snapshot was taken, so no row in it has a value that is still to be given. */
export async function listSequences(client: pg.ClientBase): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'S' and relnamespace = current_schema()::regnamespace order by relname`,
  )
  const states: SequenceState[] = []
  for (const { name } of rows) {
    const found = await client.query<{ next: string }>(
      `select (last_value + case when is_called then seqincrement else 0 end)::text as next
       from ${client.escapeIdentifier(name)}, pg_sequence
       where seqrelid = $1::regclass`,
      [client.escapeIdentifier(name)],
    )
    states.push({ name, next: found.rows[0]?.next ?? '1' })
  }
  return states
}

/** Unlike `setval` undone by a rollback. */
export async function setSequence(client: pg.ClientBase, { name, next }: SequenceState): Promise<void> {
  await client.query(`alter sequence ${client.escapeIdentifier(name)} restart with ${BigInt(next)}`)
}

export async function findSchemaVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `select coalesce(max(version), 0) as version from ${historyTable}`,
  )
  return rows[0]?.version ?? 0
}

/** Whether any table holds a row: a server has been here. */
export async function findUsedTable(client: pg.ClientBase, tables: readonly TableShape[]): Promise<string | undefined> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`select from ${client.escapeIdentifier(name)} limit 1`)
    if (rowCount) return name
  }
  return undefined
}

export async function lockTables(
  client: pg.ClientBase,
  tables: readonly TableShape[],
  mode: 'access share' | 'access exclusive',
): Promise<void> {
  const names = tables.map(({ name }) => client.escapeIdentifier(name))
  if (names.length > 0) await client.query(`lock table ${names.join(', ')} in ${mode} mode`)
}

/** One statement, with the columns named: the order they were added in may differ between two databases. */
export const describeCopy = (client: pg.ClientBase, { name, columns }: TableShape): string =>
  `copy ${client.escapeIdentifier(name)} (${columns.map((column) => client.escapeIdentifier(column)).join(', ')})`

/**
 * Takes foreign keys and triggers away and answers what brings them back: tables then load in any order, cycles included, no trigger
 * acts on rows that were already acted on, and bringing a key back checks all its rows at once. In a transaction; needs the owner of
 * the tables, and no superuser.
 */
export async function suspendRules(client: pg.ClientBase): Promise<() => Promise<void>> {
  const keys = await client.query<{ name: string; table: string; definition: string }>(
    `select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`,
  )
  const triggers = await client.query<{ name: string; table: string; always: boolean }>(
    `select tgname as name, tgrelid::regclass::text as table, tgenabled = 'A' as always
     from pg_trigger join pg_class on pg_class.oid = tgrelid
     where not tgisinternal and tgparentid = 0 and tgenabled in ('O', 'A')
       and relnamespace = current_schema()::regnamespace`,
  )
  const quote = (name: string): string => client.escapeIdentifier(name)
  for (const { name, table } of keys.rows) await client.query(`alter table ${table} drop constraint ${quote(name)}`)
  for (const { name, table } of triggers.rows) await client.query(`alter table ${table} disable trigger ${quote(name)}`)
  return async () => {
    for (const { name, table, definition } of keys.rows)
      await client.query(`alter table ${table} add constraint ${quote(name)} ${definition}`)
    for (const { name, table, always } of triggers.rows)
      await client.query(`alter table ${table} enable ${always ? 'always ' : ''}trigger ${quote(name)}`)
  }
}

/** A session for one long piece of work, whose text form does not depend on the server's settings. It ends with the work. */
export async function inLongSession<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
       set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'; set extra_float_digits = 1; set bytea_output = 'hex'`,
    )
    return await work(client)
  } finally {
    client.release(true)
  }
}
