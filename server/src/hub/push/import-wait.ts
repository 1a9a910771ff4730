import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Patience } from '../reading/version-files.ts'
import { findImportOutcome, findPush } from '../repository.ts'

const lookMs = 100

/** Until the import of a pushed tree has ended, however: what was pushed in another form can be loaded then. */
export async function waitForImport({ db }: Context, pushId: string, patience: Patience): Promise<void> {
  const until = Date.now() + patience.waitSeconds * 1000
  for (;;) {
    const push = await findPush(db, pushId)
    const isOver = push?.state !== 'open' && push?.state !== 'imported'
    const job = push?.importId ? await findImportOutcome(db, push.importId) : undefined
    if (isOver || (job && job.state !== 'queued' && job.state !== 'running')) return
    if (Date.now() >= until || patience.signal.aborted)
      throw new ServiceError(
        patience.refusal,
        `What was pushed to ${push.slug} is being imported. Try again in a moment.`,
        { retryAfterSeconds: 2 },
      )
    await sleep(lookMs)
  }
}
