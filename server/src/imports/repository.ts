import { type Insertable, type Selectable, sql } from 'kysely'
import type { Losses } from '../datasets/losses.ts'
import { type CamelCased, renamed, snakeCased } from '../db/camel-case.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { JobState, JobTable } from '../jobs/tables.ts'
import type { ImportTables } from './tables.ts'

type ImportColumns = Omit<Selectable<ImportTables['imports']>, 'hf_token' | 'source_digest'>
type JobColumns = Pick<Selectable<JobTable>, (typeof columnsOfJob)[number]>
export type ImportRow = CamelCased<JobColumns & ImportColumns> & {
  orgSlug: string
  projectSlug: string
  /** As it was given; else that of the dataset it made, or will make. */
  shownTitle: string
  losses: Losses | null
}
export type ImportFile = CamelCased<Omit<Selectable<ImportTables['import_files']>, 'import_id'>>

const columnsOfJob = [
  'id',
  'state',
  'claim_epoch',
  'claimed_by',
  'claimed_at',
  'claim_expires_at',
  'last_heartbeat_at',
  'attempt_count',
  'max_attempts',
  'retry_after',
  'cancel_requested_at',
  'progress_pct',
  'progress_phase',
  'progress_message',
  'downloaded_bytes',
  'total_bytes',
  'last_error',
  'error_code',
  'error_message',
  'consistency_status',
  'consistency_checked_at',
  'consistency_error',
  'retry_of',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
] as const satisfies readonly (keyof JobTable)[]

const columns = [
  ...renamed('job', columnsOfJob),
  ...renamed('import', [
    'project_id',
    'dataset_slug',
    'title',
    'source_kind',
    'source_uri',
    'hf_repo_id',
    'hf_revision',
    'hf_commit',
    'upload_ids',
    'options',
    'idempotency_key',
    'fingerprint',
    'created_by',
    'dataset_id',
    'revision_id',
    'has_report',
    'has_raw',
    'hdf5',
    'preview_assets',
    'dismissed_at',
    'version_id',
    'copied_from',
  ]),
]

const shownTitle = sql<string>`coalesce(import.title, dataset.title, import.dataset_slug)`

const imports = (db: Database) =>
  db
    .selectFrom('imports as import')
    .innerJoin('jobs as job', 'job.id', 'import.id')
    .innerJoin('projects as project', 'project.id', 'import.project_id')
    .innerJoin('organizations as org', 'org.id', 'project.org_id')
    .leftJoin('datasets as dataset', 'dataset.id', 'import.dataset_id')
    .leftJoin('dataset_revisions as revision', 'revision.id', 'import.revision_id')
    .select(columns)
    .select(['org.slug as orgSlug', 'project.slug as projectSlug'])
    .select(shownTitle.as('shownTitle'))
    .select(sql<Losses | null>`revision.summary -> 'losses'`.as('losses'))

/** False when the project has an import of that key. Two at once: the second waits for the first to commit. */
export const insertImport = async (
  trx: Transaction,
  row: CamelCased<Insertable<ImportTables['imports']>>,
): Promise<boolean> => {
  const inserted = await trx
    .insertInto('imports')
    .values(snakeCased(row))
    .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export const findImport = (db: Database, projectId: string, id: string): Promise<ImportRow | undefined> =>
  imports(db).where('import.project_id', '=', projectId).where('import.id', '=', id).executeTakeFirst()

export const findImportById = (db: Database, id: string): Promise<ImportRow | undefined> =>
  imports(db).where('import.id', '=', id).executeTakeFirst()

export const findImportByKey = (db: Database, projectId: string, key: string): Promise<ImportRow | undefined> =>
  imports(db).where('import.project_id', '=', projectId).where('import.idempotency_key', '=', key).executeTakeFirst()

/** The newest import of the organization that made the same of the same. */
export const findSameImport = (db: Database, orgId: string, sourceDigest: string): Promise<ImportRow | undefined> =>
  imports(db)
    .where('import.source_digest', '=', sourceDigest)
    .where('import.revision_id', 'is not', null)
    .where('job.org_id', '=', orgId)
    .where('job.state', '=', 'succeeded')
    .orderBy('import.id', 'desc')
    .limit(1)
    .executeTakeFirst()

interface ListFilter {
  status: JobState | undefined
  q: string | undefined
  limit: number
  beforeId: string | undefined
}

export const listImports = (db: Database, projectId: string, filter: ListFilter): Promise<ImportRow[]> => {
  const { status, q, limit, beforeId } = filter
  const pattern = `%${(q ?? '').replaceAll(/[\\%_]/g, '\\$&')}%`
  return imports(db)
    .where('import.project_id', '=', projectId)
    .$if(status !== undefined, (query) => query.where('job.state', '=', status ?? 'queued'))
    .$if(beforeId !== undefined, (query) => query.where('import.id', '<', beforeId ?? ''))
    .$if(q !== undefined, (query) =>
      query.where((row) =>
        row.or(
          (
            [
              'import.id',
              'import.dataset_slug',
              'import.source_uri',
              'import.hf_repo_id',
              'import.idempotency_key',
            ] as const
          )
            .map((column) => row(column, 'ilike', pattern))
            .concat(row(shownTitle, 'ilike', pattern)),
        ),
      ),
    )
    .orderBy('import.id', 'desc')
    .limit(limit)
    .execute()
}

export const findSealedToken = async (db: Database, id: string): Promise<Buffer | null> => {
  const row = await db.selectFrom('imports').select('hf_token').where('id', '=', id).executeTakeFirst()
  return row?.hf_token ?? null
}

export const dismissImport = async (trx: Transaction, id: string, isDismissed: boolean): Promise<void> => {
  await trx
    .updateTable('imports')
    .set({ dismissed_at: isDismissed ? sql<Date>`now()` : null })
    .where('id', '=', id)
    .execute()
}

export const forgetToken = async (db: Database, id: string): Promise<void> => {
  await db
    .updateTable('imports')
    .set({ hf_token: null })
    .where('id', '=', id)
    .where('hf_token', 'is not', null)
    .execute()
}

export const updateSource = async (
  db: Database,
  id: string,
  source: { sourceUri: string; hfCommit: string | null },
): Promise<void> => {
  await db
    .updateTable('imports')
    .set({ source_uri: source.sourceUri, hf_commit: source.hfCommit })
    .where('id', '=', id)
    .execute()
}

export const updateHdf5 = async (db: Database, id: string, hdf5: object): Promise<void> => {
  await db
    .updateTable('imports')
    .set({ hdf5: JSON.stringify(hdf5) })
    .where('id', '=', id)
    .execute()
}

export const markReported = async (db: Database, id: string): Promise<void> => {
  await db.updateTable('imports').set({ has_report: true }).where('id', '=', id).execute()
}

interface Completion {
  sourceDigest: string
  datasetId: string
  revisionId: string
  hasRaw: boolean
  hdf5: object | null
  previewAssets: readonly object[]
}

/** In the transaction that makes the job succeed. */
export const completeImport = async (trx: Transaction, id: string, done: Completion): Promise<void> => {
  await trx
    .updateTable('imports')
    .set({
      source_digest: done.sourceDigest,
      dataset_id: done.datasetId,
      revision_id: done.revisionId,
      has_report: true,
      has_raw: done.hasRaw,
      hdf5: done.hdf5 && JSON.stringify(done.hdf5),
      preview_assets: JSON.stringify(done.previewAssets),
      hf_token: null,
    })
    .where('id', '=', id)
    .execute()
}

export const insertImportFiles = async (
  db: Database,
  importId: string,
  files: readonly ImportFile[],
): Promise<void> => {
  await sql`
    insert into import_files (import_id, path, sha256, size_bytes, store_key)
    select ${importId}, * from unnest(
      ${files.map((file) => file.path)}::text[],
      ${files.map((file) => file.sha256)}::text[],
      ${files.map((file) => file.sizeBytes)}::bigint[],
      ${files.map((file) => file.storeKey)}::text[])
    on conflict (import_id, path) do update
      set sha256 = excluded.sha256, size_bytes = excluded.size_bytes, store_key = excluded.store_key`.execute(db)
}

export const listImportFiles = (db: Database, importId: string): Promise<ImportFile[]> =>
  db
    .selectFrom('import_files')
    .select(['path', 'sha256', 'size_bytes as sizeBytes', 'store_key as storeKey'])
    .where('import_id', '=', importId)
    .orderBy('path')
    .execute()

/** Whether an import into that dataset is to come or running. */
export const hasUnfinished = async (db: Database, projectId: string, slug: string): Promise<boolean> => {
  const row = await db
    .selectFrom('imports')
    .innerJoin('jobs', 'jobs.id', 'imports.id')
    .select('imports.id')
    .where('imports.project_id', '=', projectId)
    .where('imports.dataset_slug', '=', slug)
    .where('jobs.state', 'in', ['queued', 'running'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const renameImports = async (trx: Transaction, projectId: string, from: string, to: string): Promise<void> => {
  await trx
    .updateTable('imports')
    .set({ dataset_slug: to })
    .where('project_id', '=', projectId)
    .where('dataset_slug', '=', from)
    .execute()
}
