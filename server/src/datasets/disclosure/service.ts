import type { Transaction } from '../../db/database.ts'
import { invalidValue } from '../../errors.ts'
import { closeAll, discloseAll, discloseRevision } from './repository.ts'

interface Disclosure {
  /** As it is after the change. */
  visibility: 'private' | 'public'
  isVisibilityChanged: boolean
  /** Revisions of before the publication too, or no longer; undefined where nobody chose. */
  history: boolean | undefined
}

/**
 * What everybody may read of a dataset: the revision that is published and those shown after it. Older ones were made while it was
 * private, by people who did not know that it would be public, so they are shown only where somebody chooses. The card of the
 * moment is disclosed where it is written. The row of the dataset is held by the caller.
 */
export async function changeDisclosure(
  trx: Transaction,
  datasetId: string,
  { visibility, isVisibilityChanged, history }: Disclosure,
): Promise<void> {
  if (!isVisibilityChanged && history === undefined) return
  if (history !== undefined && visibility === 'private')
    throw invalidValue(
      ['body', 'public_history'],
      'only a public dataset shows its history to everybody: send visibility "public" with it',
      history,
    )
  if (isVisibilityChanged || !history) await closeAll(trx, datasetId)
  if (history) await discloseAll(trx, datasetId)
  else if (visibility === 'public') await discloseRevision(trx, datasetId)
}

/** A revision that a public dataset shows is public from then on. */
export async function discloseShown(
  trx: Transaction,
  dataset: { id: string; visibility: 'private' | 'public' },
  revisionId: string,
): Promise<void> {
  if (dataset.visibility === 'public') await discloseRevision(trx, dataset.id, revisionId)
}
