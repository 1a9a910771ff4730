import type { MatrixCase } from './export-matrix.ts'
import type { ExportStand } from './export-stand.ts'

export interface MadeExport extends MatrixCase {
  version: string
  checksum: string
}

/** All at once, by two workers that nobody disturbs. */
export async function exportCalmly(stand: ExportStand, planned: readonly MatrixCase[]): Promise<MadeExport[]> {
  const workers = [await stand.startWorker({ concurrency: 2 }), await stand.startWorker({ concurrency: 2 })]
  const queued = []
  for (const entry of planned) {
    const version = await stand.derive(entry.datasetId, entry.recipe)
    queued.push({ ...entry, version, job: await stand.queue(version) })
  }
  const made: MadeExport[] = []
  for (const { job: id, ...entry } of queued) {
    const job = await stand.wait(entry.version, id)
    if (job.status !== 'succeeded') throw new Error(`${entry.name} ${job.status}: ${job.error_message}`)
    made.push({ ...entry, checksum: job.checksum_sha256 ?? '' })
  }
  console.log(`${made.length} exports made undisturbed`)
  for (const worker of workers) await worker.kill()
  return made
}
