import { join } from 'node:path'
import type { Context } from '../context.ts'
import { type BuildInput, buildReadModel } from '../datasets/read-model/build.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import type { JobRun } from '../jobs/handler.ts'
import { type PublishedEntry, stageFile } from '../storage/blobs.ts'

/** What the API answers from once the version has files of its own: made of those files as at an import, so that it does not need the source. */
export async function stageReadModel(
  { storage }: Pick<Context, 'storage'>,
  { job, claim, signal }: JobRun,
  { datasetFolder, targetFolder, roles }: Pick<BuildInput, 'datasetFolder' | 'targetFolder' | 'roles'>,
): Promise<{ entries: PublishedEntry[]; summary: RevisionSummary }> {
  const { files, summary } = await buildReadModel({ datasetFolder, targetFolder, roles, signal })
  const entries: PublishedEntry[] = []
  for (const { path } of files) {
    const blob = await stageFile(storage, { id: job.id, epoch: claim.epoch }, join(targetFolder, path), signal)
    entries.push({ logicalPath: `read-model/${path}`, ...blob })
  }
  return { entries, summary }
}
