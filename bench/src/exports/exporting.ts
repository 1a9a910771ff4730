import type { MatrixCase } from './export-matrix.ts'
import type { ExportSetup } from './export-setup.ts'

export interface MadeExport extends MatrixCase {
  version: string
  checksum: string
}

/** All at once, by two workers that nobody disturbs. */
export async function exportCalmly(setup: ExportSetup, planned: readonly MatrixCase[]): Promise<MadeExport[]> {
  const workers = [await setup.startWorker({ concurrency: 2 }), await setup.startWorker({ concurrency: 2 })]
  const queued = []
  for (const entry of planned) {
    const version = await setup.derive(entry.datasetId, entry.recipe)
    queued.push({ ...entry, version, job: await setup.queue(version) })
  }
  const made: MadeExport[] = []
  for (const { job: id, ...entry } of queued) {
    const job = await setup.wait(entry.version, id)
    if (job.status !== 'succeeded') throw new Error(`${entry.name} ${job.status}: ${job.error_message}`)
    made.push({ ...entry, checksum: job.checksum_sha256 ?? '' })
  }
  console.log(`${made.length} exports made undisturbed`)
  for (const worker of workers) await worker.kill()
  return made
}
