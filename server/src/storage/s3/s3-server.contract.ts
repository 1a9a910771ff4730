import { randomBytes } from 'node:crypto'
import type { StorageConfig } from '../storage.ts'

const {
  NMP_TEST_S3_ENDPOINT: endpoint,
  NMP_TEST_S3_BUCKET: bucket = 'nmp-test',
  NMP_TEST_S3_ACCESS_KEY: accessKeyId = '',
  NMP_TEST_S3_SECRET_KEY: secretAccessKey = '',
} = process.env

/** Where the S3 server of `.ci/s3` listens; undefined when there is none. */
export const testS3Endpoint = endpoint

export function getTestS3Endpoint(): string {
  if (endpoint) return endpoint
  throw new Error('The tests on S3 need a server: run .ci/s3, which starts one, or set NMP_TEST_S3_ENDPOINT.')
}

/** A place of its own in the bucket of the S3 server. */
export const createS3Config = (
  address: string,
  prefix = `test-${randomBytes(6).toString('hex')}`,
): Extract<StorageConfig, { kind: 's3' }> => ({
  kind: 's3',
  endpoint: address,
  region: 'us-east-1',
  bucket,
  accessKeyId,
  secretAccessKey,
  forcePathStyle: true,
  signingKey: 'key',
  publicUrl: 'http://localhost',
  prefix,
})

/** The settings of a program that keeps its objects there. */
export function s3Settings(address: string, place?: string): Record<string, string> {
  const { prefix = '' } = createS3Config(address, place)
  return {
    NMP_S3_ENDPOINT: address,
    NMP_S3_BUCKET: bucket,
    NMP_S3_PREFIX: prefix,
    NMP_S3_ACCESS_KEY_ID: accessKeyId,
    NMP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  }
}
