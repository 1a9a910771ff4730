import { createHash } from 'node:crypto'
import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { writeCard } from '@nmp/formats/card/write-card'
import { getShownCard } from '../datasets/refresh-shown.ts'
import { toCard } from '../datasets/shown-fields.ts'
import type { Database } from '../db/database.ts'
import type { OpenedSource } from './source.ts'

export interface PinnedCard {
  card: DatasetCard
  /** For the provenance: what it is, whose terms it is under. */
  facts: Pick<DatasetCard, 'title' | 'licence' | 'tags' | 'language'>
  /** Of README.md as exports hold it. */
  sha256: string
}

/**
 * The card of the source as it is shown now. A version keeps it: the same source, recipe and card give the same bytes, whatever is
 * written beside the source later, and whatever the version is called.
 */
export async function pinCard(db: Database, { seen, parent }: OpenedSource): Promise<PinnedCard> {
  const { dataset, revision } = seen
  const card = parent
    ? { ...toCard(dataset, parent.card, revision.summary), title: parent.card?.title ?? null }
    : await getShownCard(db, dataset.id)
  const { title, licence, tags, language } = card
  const sha256 = createHash('sha256').update(writeCard(card)).digest('hex')
  return { card, facts: { title, licence, tags, language }, sha256 }
}
