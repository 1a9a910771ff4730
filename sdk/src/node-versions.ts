import type { Client } from './client.ts'
import { DownloadError, type Downloaded, type DownloadOptions, downloadFile } from './node-download.ts'

type Options = Pick<DownloadOptions, 'parallel' | 'onProgress' | 'signal'>

/** Fetches what a version was exported as, by default its LeRobot dataset, as one tar, checked against its published sha256. */
export async function downloadVersion(
  client: Client,
  { artifact_key: key = 'lerobot', ...version }: { org_slug: string; version_id: string; artifact_key?: string },
  target: string,
  options: Options = {},
): Promise<Downloaded> {
  const { item } = await client.versions.getDerivedVersion(version, { signal: options.signal })
  const artifact = item.export_artifacts.find((entry) => entry.key === key)
  return downloadFile({
    ...options,
    target,
    sha256: artifact?.checksum_sha256,
    findUrl: async () =>
      (await client.exports.getArtifactDownloadUrl({ ...version, artifact_key: key }, { signal: options.signal })).url,
  })
}

/** A dataset by its id, or by its slug in a project. */
export type DatasetName = { dataset_id: string } | { org_slug: string; project_slug: string; dataset_slug: string }

/** Fetches a stored dataset as one tar. */
export async function downloadDataset(
  client: Client,
  dataset: DatasetName,
  target: string,
  options: Options = {},
): Promise<Downloaded> {
  const findUrl = async (): Promise<string> => {
    const { signal } = options
    const { item } =
      'dataset_id' in dataset
        ? await client.catalog.getCatalogDataset({ ...dataset, limit: 1 }, { signal })
        : await client.datasets.getProjectDatasetManifest({ ...dataset, limit: 1 }, { signal })
    const archive = item.export_artifacts.find(({ key }) => key === 'lerobot')
    if (!archive) throw new DownloadError(`${item.slug} has no archive to download.`)
    return archive.href
  }
  return downloadFile({ ...options, target, findUrl })
}
