import { keepBackups, requireBackupSettings } from './backups/keep.ts'
import { checkWhatIsDue, roundSeconds } from './consistency/schedule.ts'
import type { Context } from './context.ts'
import { deleteDatasetsPastGrace } from './datasets/service.ts'
import { describeError } from './errors.ts'
import { dropOrphanedArtifacts } from './exports/version-deletion.ts'
import { wakeOrphanedCopies } from './exports/waiting-copies.ts'
import { closePushes, sweepPushes } from './hub/push/push-sweep.ts'
import { deleteExpiredSignIns } from './identity/local-accounts.ts'
import { deleteUsersPastGrace } from './identity/users/service.ts'
import { sweepParserFolders } from './jobs/parser-folders.ts'
import { forgetLostWorkers } from './jobs/presence.ts'
import { listActiveJobs } from './jobs/statements/list-active-jobs.ts'
import { sweepWorkFolders } from './jobs/work-folder.ts'
import { writeDigests } from './notifications/digest.ts'
import { sendDueMails } from './notifications/mail-sender.ts'
import { deleteOldNotifications } from './notifications/service.ts'
import { deleteOrgsPastGrace } from './organizations/service.ts'
import { collectBlobs, collectRuns } from './storage/care/collection.ts'
import { deleteExpiredUploads } from './uploads/service.ts'

const hour = 3_600_000
const unfinishedHours = 24
/** In a bucket only the beginning of an unfinished write is known, and an upload may take days. */
const unfinishedHoursInBucket = 7 * 24

type Tasks = Record<string, (signal: AbortSignal) => Promise<unknown>>

/** What must happen by itself and may happen in any process, also in several at once: each task claims what it changes. */
export function startHousekeeping(context: Context): { stop(): Promise<void> } {
  const { db, storage } = context
  requireBackupSettings(context.config)
  const hourly: Tasks = {
    'accounts past their grace period': () => deleteUsersPastGrace(db),
    'organizations past their grace period': () => deleteOrgsPastGrace(db),
    'datasets past their grace period': () => deleteDatasetsPastGrace(db),
    'artifacts of versions that are gone': () => dropOrphanedArtifacts(db),
    'copies of versions that are gone': () => wakeOrphanedCopies(db),
    'sign-ins that have run out': () => deleteExpiredSignIns(db),
    'objects nobody needs': () => collectBlobs(db, storage),
    'results of jobs that ended otherwise': () =>
      collectRuns(db, storage, { listActiveJobs: (ids) => listActiveJobs(db, ids) }),
    'unfinished writes of killed processes': () =>
      storage.sweepUnfinished(
        new Date(Date.now() - (storage.kind === 's3' ? unfinishedHoursInBucket : unfinishedHours) * hour),
      ),
    'work folders of jobs that nobody runs': () => sweepWorkFolders(context),
    'folders of killed parsers': () => sweepParserFolders(),
    'words of workers that are gone': () => forgetLostWorkers(db),
    'uploads past their time': () => deleteExpiredUploads(context),
    'notifications past their time': () => deleteOldNotifications(context),
  }
  const loops = [
    repeat(context, hour, hourly),
    ...(context.config.NMP_ROLE === 'api'
      ? []
      : [
          repeat(context, roundSeconds * 1000, {
            'a look at what is stored': (signal) => checkWhatIsDue(context, signal),
          }),
        ]),
    repeat(context, context.config.NMP_BACKUP_SECONDS * 1000, {
      'the backup folder': (signal) => keepBackups(context, signal),
    }),
    repeat(context, 300_000, { 'weekly digests': () => writeDigests(context) }),
    repeat(context, 5_000, { 'mails that are due': () => sendDueMails(context) }),
    repeat(context, 5_000, { 'pushes that are whole': () => closePushes(context) }),
    repeat(context, 60_000, { 'what pushes leave': () => sweepPushes(context) }),
  ]
  return {
    async stop() {
      for (const loop of loops) await loop.stop()
    },
  }
}

function repeat({ log }: Context, everyMs: number, tasks: Tasks): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const runAll = async (): Promise<void> => {
    for (const [name, run] of Object.entries(tasks)) {
      try {
        await run(stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) return
        log.error({ task: name, error: describeError(error) }, 'housekeeping failed')
      }
    }
  }
  let current = Promise.resolve()
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    current = runAll().finally(() => {
      isRunning = false
    })
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await current
    },
  }
}
