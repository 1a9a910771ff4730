import type { ProjectGrant } from '../access/access.ts'
import { type Actor, recordAudit } from '../audit/service.ts'
import { checkDatasetName } from '../datasets/names/service.ts'
import type { Database, Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import type { CopiedFrom } from './copies/copied-from.ts'
import * as repository from './repository.ts'
import type { ImportOptions } from './request.ts'

type Import = repository.ImportRow
export const importJobKind = 'import'

export interface NewImport {
  orgId: string
  projectId: string
  slug: string
  /** Null: the card's counts, else the slug. */
  title: string | null
  sourceKind: Import['sourceKind']
  sourceUri?: string | null
  hfRepoId?: string | null
  hfRevision?: string | null
  sealHfToken?: ((importId: string) => Promise<Buffer>) | null
  uploadIds?: string[]
  options?: ImportOptions
  copiedFrom?: CopiedFrom
  idempotencyKey: string | null
  fingerprint: string
  createdBy: string | null
  retryOf?: string
}

export interface CreatedImport {
  row: Import
  /** The key was known: the import is the one it was made for. */
  replayed: boolean
}

/** The row decides about the key before anything else is written; `prepare` runs for a new import only. */
export async function queueImport(
  trx: Transaction,
  actor: Actor,
  input: NewImport,
  prepare: (id: string) => Promise<void>,
): Promise<CreatedImport> {
  const id = createId('imp')
  const isNew = await repository.insertImport(trx, {
    id,
    projectId: input.projectId,
    datasetSlug: input.slug,
    title: input.title,
    sourceKind: input.sourceKind,
    sourceUri: input.sourceUri ?? null,
    hfRepoId: input.hfRepoId ?? null,
    hfRevision: input.hfRevision ?? null,
    hfToken: (await input.sealHfToken?.(id)) ?? null,
    uploadIds: input.uploadIds ?? [],
    options: JSON.stringify(input.options ?? {}),
    idempotencyKey: input.idempotencyKey,
    fingerprint: input.fingerprint,
    createdBy: input.createdBy,
    versionId: input.copiedFrom?.version_id ?? null,
    copiedFrom: input.copiedFrom ? JSON.stringify(input.copiedFrom) : null,
  })
  if (!isNew) return { row: await findReplayed(trx, input), replayed: true }
  await prepare(id)
  await checkDatasetName(trx, input.projectId, input.slug)
  const { retryOf } = input
  await createJob(trx, { id, orgId: input.orgId, kind: importJobKind, ...(retryOf ? { retryOf } : {}) })
  await recordAudit(trx, actor, {
    action: retryOf ? 'import.retry' : 'import.create',
    resource: { kind: 'import', id },
    orgId: input.orgId,
    detail: {
      dataset_slug: input.slug,
      source_kind: input.sourceKind,
      ...(input.hfRepoId ? { hf_repo_id: input.hfRepoId } : {}),
      ...(input.copiedFrom ? { version_id: input.copiedFrom.version_id } : {}),
      ...(retryOf ? { retry_of: retryOf } : {}),
    },
  })
  const row = await repository.findImportById(trx, id)
  if (!row) throw notFound()
  return { row, replayed: false }
}

export async function findReplayed(
  db: Database,
  { projectId, idempotencyKey, fingerprint }: NewImport,
): Promise<Import> {
  const row = await repository.findImportByKey(db, projectId, idempotencyKey ?? '')
  // The other import can vanish with its project only.
  if (!row) throw notFound()
  if (row.fingerprint !== fingerprint) throw keyReuse(idempotencyKey ?? '')
  return row
}

const keyReuse = (key: string): ServiceError =>
  new ServiceError(
    'idempotency_key_reuse',
    `The idempotency key ${JSON.stringify(key)} belongs to another import of the project. Choose a new key.`,
  )

export const refuseArchived = ({ status, slug }: ProjectGrant): void => {
  if (status === 'archived')
    throw new ServiceError('conflict', `The project ${slug} is archived. Reactivate it to import into it.`)
}
