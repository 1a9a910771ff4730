import { createHash } from 'node:crypto'
import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { writeCard } from '@nmp/formats/card/write-card'
import type { Database, Transaction } from '../db/database.ts'
import { notFound } from '../errors.ts'
import { findBlob } from '../storage/blobs.ts'
import type { BlobOwner } from '../storage/repository.ts'
import { refreshCatalogEntry } from './listing/service.ts'
import * as repository from './repository.ts'
import { chooseShown, type FieldChange, type HeldFields, listSaid, toCard } from './shown-fields.ts'

/**
 * Brings what is written beside a dataset to what the revision it shows and its people say now, in the transaction that changes
 * either. README.md is made here and kept, so that the name of a commit always means the same bytes.
 */
export async function refreshShown(trx: Transaction, datasetId: string, change: FieldChange = {}): Promise<void> {
  const held = await repository.lockShown(trx, datasetId)
  if (!held) throw notFound()
  const shown = chooseShown(held, listSaid(held.slug, held.card, held.summary), change)
  // README.md of the source is among the files: as long as nobody says otherwise it goes out as it came in.
  const isOwn =
    shown.editedFields.length === 0 && (await findBlob(trx, ownerOf(held), 'dataset/README.md')) !== undefined
  if (isOwn) await repository.updateDataset(trx, datasetId, { ...shown, readmeSha256: null })
  else await writeReadme(trx, datasetId, shown, held)
  await refreshCatalogEntry(trx, datasetId)
}

const ownerOf = ({ currentRevisionId: id, orgId }: repository.ShownDataset): BlobOwner => ({
  kind: 'revision',
  id: id ?? '',
  orgId,
})

async function writeReadme(
  trx: Transaction,
  datasetId: string,
  shown: HeldFields,
  held: repository.ShownDataset,
): Promise<void> {
  const content = writeCard(toCard({ ...shown, slug: held.slug }, held.card, held.summary))
  const sha256 = createHash('sha256').update(content).digest('hex')
  await repository.keepReadme(trx, datasetId, { sha256, content, isPublic: held.visibility === 'public' })
  await repository.updateDataset(trx, datasetId, { ...shown, readmeSha256: sha256 })
}

/** The card as it is shown now: what a version takes with it. */
export async function getShownCard(db: Database, datasetId: string): Promise<DatasetCard> {
  const held = await repository.findShown(db, datasetId)
  if (!held) throw notFound()
  const { slug, card, summary } = held
  return toCard({ ...chooseShown(held, listSaid(slug, card, summary), {}), slug }, card, summary)
}

/** `findCard`: as a revision's own source says it. `findReadme`: README.md that the dataset has, or had, under this hash. */
export const findCard = (db: Database, revisionId: string): Promise<DatasetCard | null> =>
  repository.findCard(db, revisionId)

export const findReadme = (db: Database, datasetId: string, sha256: string): Promise<string | undefined> =>
  repository.findReadme(db, datasetId, sha256)

export const findShownReadme = (
  db: Database,
  datasetId: string,
): Promise<{ sha256: string; content: string } | undefined> => repository.findShownReadme(db, datasetId)

export const listReadmes = (db: Database, datasetId: string, isPublicOnly: boolean): Promise<string[]> =>
  repository.listReadmes(db, datasetId, isPublicOnly)
