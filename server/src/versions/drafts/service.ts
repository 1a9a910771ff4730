import type { Caller, Principal } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { findReadable } from '../../datasets/service.ts'
import { inTransaction } from '../../db/database.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import * as repository from './repository.ts'

export type Draft = repository.DraftRow

/** One's own draft of a recipe on a dataset that one may read; undefined where nothing was begun. */
export async function findOwnDraft(context: Context, caller: Principal, datasetId: string): Promise<Draft | undefined> {
  await findReadable(context, caller, datasetId)
  return repository.findDraft(context.db, caller.userId, datasetId)
}

/** Somebody's, by its link: for whoever may read the dataset. */
export async function getSharedDraft(context: Context, caller: Principal, id: string): Promise<Draft> {
  const draft = await repository.findDraftById(context.db, id)
  if (!draft) throw notFound()
  await findReadable(context, caller, draft.datasetId)
  return draft
}

export async function saveDraft(
  context: Context,
  caller: Caller,
  datasetId: string,
  { revision, ...given }: repository.GivenDraft & { revision: number },
): Promise<Draft> {
  await findReadable(context, caller, datasetId)
  return inTransaction(context.db, async (trx) => {
    const stored = (await repository.lockDraft(trx, caller.userId, datasetId)) ?? 0
    if (stored !== revision)
      throw new ServiceError(
        'conflict',
        `The draft was changed elsewhere: it is at revision ${stored}, not ${revision}. Read it, and change that one.`,
      )
    await repository.upsertDraft(trx, { id: createId('drf'), userId: caller.userId, datasetId }, given)
    const saved = await repository.findDraft(trx, caller.userId, datasetId)
    if (!saved) throw notFound()
    await recordAudit(trx, caller, {
      action: 'recipe_draft.put',
      resource: { kind: 'recipe_draft', id: saved.id },
      detail: { dataset: datasetId, revision: saved.revision },
    })
    return saved
  })
}
