import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dataset } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts/index'
import { write } from '@nmp/formats/writers/lerobot-v3'
import type { Context } from '../src/context.ts'
import { buildReadModel } from '../src/datasets/read-model/build.ts'
import { publishRevision } from '../src/datasets/service.ts'
import { inTransaction } from '../src/db/database.ts'
import { createId } from '../src/ids.ts'
import { computeResultDigest, type PublishedEntry, publishBlobs, stageBlob } from '../src/storage/blobs.ts'

interface Place {
  orgId: string
  projectId: string
  slug: string
}

/** What an import does with a folder of robot data once it is on this machine: canonical form, read model, published revision. */
export async function publishFolder(
  context: Context,
  source: string,
  { orgId, projectId, slug }: Place,
  change: (dataset: Dataset) => Dataset = (dataset) => dataset,
): Promise<{ datasetId: string; revisionId: string; revisionNumber: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-published-'))
  try {
    await using dataset = await openDataset(await openFolder(source))
    await write(change(dataset), join(folder, 'dataset'))
    const { summary } = await buildReadModel({
      datasetFolder: join(folder, 'dataset'),
      targetFolder: join(folder, 'read-model'),
    })
    const revisionId = createId('rev')
    const entries: PublishedEntry[] = []
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const blob = await stageBlob(context.storage, { id: revisionId, epoch: 0 }, createReadStream(path))
      entries.push({ logicalPath: path.slice(folder.length + 1), ...blob })
    }
    const digest = (prefix: string): string =>
      computeResultDigest(entries.filter(({ logicalPath }) => logicalPath.startsWith(prefix)))
    return await inTransaction(context.db, async (trx) => {
      await publishBlobs(trx, { kind: 'revision', id: revisionId, orgId }, entries)
      const published = await publishRevision(trx, {
        orgId,
        projectId,
        slug,
        title: slug,
        importId: null,
        revisionId,
        sourceKind: 'lerobot',
        sourceUri: null,
        hfRepoId: null,
        hfRevision: null,
        digest: digest('dataset/'),
        readModelDigest: digest('read-model/'),
        summary,
        createdBy: null,
      })
      return { ...published, revisionId }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
