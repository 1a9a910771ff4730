import type { Context } from '../context.ts'
import { listWorkers } from '../jobs/presence.ts'
import { findQueue } from '../jobs/queue.ts'
import type { Metrics } from '../metrics.ts'
import { findStoreHealth } from '../storage/care/walk.ts'
import { canWrite } from './readiness.ts'

/** What is true of the whole platform, whichever of its processes is asked. */
export const addPlatformMetrics = (metrics: Metrics, context: Context): void =>
  metrics.addGauges(async () => {
    const { db, diskReserve } = context
    const [queue, workers, health, disk, takesWrites] = await Promise.all([
      findQueue(db),
      listWorkers(db),
      findStoreHealth(db),
      diskReserve.describe(),
      canWrite(context),
    ])
    const { dueCount, laterCount, runningCount, oldestDueAt } = queue
    return {
      nmp_queue_due_jobs: dueCount,
      nmp_queue_later_jobs: laterCount,
      nmp_queue_running_jobs: runningCount,
      nmp_queue_oldest_due_seconds: oldestDueAt ? Math.max(0, (Date.now() - oldestDueAt.getTime()) / 1000) : 0,
      nmp_workers: workers.length,
      nmp_damaged_contents: health.damagedCount,
      nmp_takes_writes: Number(takesWrites),
      ...(disk && { nmp_disk_free_bytes: disk.freeBytes, nmp_disk_reserve_bytes: disk.keptBytes }),
    }
  })
