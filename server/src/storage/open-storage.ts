import { openFolderStorage } from './folder/folder.ts'
import { openS3Storage } from './s3/s3.ts'
import { serveThroughApi } from './serving/served-storage.ts'
import type { ObjectStorage, StorageConfig } from './storage.ts'

export async function openStorage(config: StorageConfig): Promise<ObjectStorage> {
  if (config.kind === 'folder') return openFolderStorage(config)
  const bucket = await openS3Storage(config)
  return config.publicEndpoint === undefined ? serveThroughApi(bucket, config) : bucket
}
