import { openFolderStorage } from './folder.ts'
import { openS3Storage } from './s3.ts'
import type { ObjectStorage, StorageConfig } from './storage.ts'

export const openStorage = (config: StorageConfig): Promise<ObjectStorage> =>
  config.kind === 'folder' ? openFolderStorage(config) : openS3Storage(config)
