import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { StorageConfig } from './storage.ts'

/** Where the settings put objects. Who never signs a URL may leave key and address empty. */
export function describeStorage(config: Config, publicUrl: string, signingKey: string): StorageConfig {
  if (!config.NMP_S3_BUCKET)
    return {
      kind: 'folder',
      folder: join(config.NMP_DATA_DIR, 'objects'),
      signingKey,
      publicUrl,
      sendBytes: config.NMP_ANSWER_MEMORY_BYTES,
    }
  return {
    kind: 's3',
    bucket: config.NMP_S3_BUCKET,
    region: config.NMP_S3_REGION,
    forcePathStyle: config.NMP_S3_FORCE_PATH_STYLE,
    prefix: config.NMP_S3_PREFIX,
    ...(config.NMP_S3_ENDPOINT ? { endpoint: config.NMP_S3_ENDPOINT } : {}),
    signingKey,
    publicUrl,
    ...(config.NMP_S3_PUBLIC_ENDPOINT ? { publicEndpoint: config.NMP_S3_PUBLIC_ENDPOINT } : {}),
    ...(config.NMP_S3_ACCESS_KEY_ID ? { accessKeyId: config.NMP_S3_ACCESS_KEY_ID } : {}),
    ...(config.NMP_S3_SECRET_ACCESS_KEY ? { secretAccessKey: config.NMP_S3_SECRET_ACCESS_KEY } : {}),
  }
}
