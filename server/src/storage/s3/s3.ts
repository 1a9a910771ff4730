import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { GetObjectCommandOutput, ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { notFound, ServiceError } from '../../errors.ts'
import { checkKey, checkPrefix } from '../keys.ts'
import { openPartHash } from '../part-hash.ts'
import { gatherParts, readResumably, sendParts, untilAborted } from '../part-stream.ts'
import { checkPartSize, checkParts, choosePartSizes } from '../parts.ts'
import type {
  MultipartUpload,
  ObjectHead,
  ObjectStorage,
  OpenedObject,
  PutOptions,
  ReadOptions,
  SignedUrl,
  SignGetOptions,
  SignPutOptions,
  StorageConfig,
  UploadedPart,
  WrittenObject,
} from '../storage.ts'
import { describeS3Error, explain, nameOf, statusOf } from './s3-errors.ts'

const MiB = 1024 * 1024

interface S3Limits {
  /** Up to four of these are in memory while an object is written. */
  partSizeBytes: number
  /** S3 copies no more than 5 GiB in one request. */
  simpleCopyBytes: number
  copyPartSizeBytes: number
}

const defaultLimits: S3Limits = {
  partSizeBytes: 8 * MiB,
  simpleCopyBytes: 5 * 1024 * MiB,
  copyPartSizeBytes: 1024 * MiB,
}

type Sdk = typeof import('@aws-sdk/client-s3')
type Presign = typeof import('@aws-sdk/s3-request-presigner')['getSignedUrl']

/** What every operation needs: the loaded SDK, the open client, and where keys go. */
interface Bucket {
  sdk: Sdk
  client: S3Client
  /** Signs addresses for clients, who may reach the bucket by another one than we do. */
  signer: S3Client
  presign: Presign
  limits: S3Limits
  name: string
  prefix: string
  at(key: string): { Bucket: string; Key: string }
}

/** The SDK costs 0.8 s and 25 MB to load, so it is loaded here, when S3 is used, and nowhere else. */
export const openS3Storage = async (
  config: Extract<StorageConfig, { kind: 's3' }>,
  limits: S3Limits = defaultLimits,
): Promise<ObjectStorage> => {
  const [sdk, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const prefix = config.prefix ? `${config.prefix.replace(/^\/+|\/+$/g, '')}/` : ''
  const client = createClient(sdk, config)
  const { publicEndpoint } = config
  const bucket: Bucket = {
    sdk,
    client,
    signer: publicEndpoint === undefined ? client : createClient(sdk, { ...config, endpoint: publicEndpoint }),
    presign: getSignedUrl,
    limits,
    name: config.bucket,
    prefix,
    at: (key) => ({ Bucket: config.bucket, Key: checkKey(prefix + checkKey(key)) }),
  }
  return {
    kind: 's3',
    putObject: (key, body, options) => putObject(bucket, key, body, options),
    putFile: (key, path, options) =>
      putObject(bucket, key, createReadStream(path, { highWaterMark: 1024 * 1024 }), options),
    getObject: (key, options) => getObject(bucket, key, options),
    findObject: (key) => findObject(bucket, key),
    locateObject: async () => undefined,
    deleteObject: (key) => deleteObject(bucket, key),
    listObjects: (listed) => listObjects(bucket, checkPrefix(listed)),
    copyObject: (sourceKey, targetKey) => copyObject(bucket, sourceKey, targetKey),
    signGet: (key, options) => signGet(bucket, key, options),
    signPut: (key, options) => signPut(bucket, key, options),
    beginMultipart: (key, partSizeBytes) => beginMultipart(bucket, key, checkPartSize(partSizeBytes)),
    putPart: async (upload, partNumber, bytes) => {
      checkParts(upload, [{ partNumber, sizeBytes: bytes.byteLength, etag: '' }], { whole: false })
      return putPart(bucket, upload, partNumber, bytes)
    },
    completeMultipart: async (upload, parts) => {
      checkParts(upload, parts, { whole: true })
      return completeMultipart(bucket, upload, parts, false)
    },
    abortMultipart: (upload) => abortMultipart(bucket, upload),
    sweepUnfinished: (olderThan) => sweepUnfinished(bucket, olderThan),
    close: async () => bucket.client.destroy(),
  }
}

const createClient = (sdk: Sdk, config: Extract<StorageConfig, { kind: 's3' }>): S3Client =>
  new sdk.S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    maxAttempts: 5,
    // Trailer checksums break many servers that speak S3; the sha256 of a buffer is part of its signature anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 120_000 },
    ...(config.endpoint === undefined ? {} : { endpoint: config.endpoint }),
    ...(config.accessKeyId === undefined || config.secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey } }),
  })

const findObject = async ({ sdk, client, at }: Bucket, key: string): Promise<ObjectHead | undefined> => {
  try {
    return describeHead(key, await client.send(new sdk.HeadObjectCommand(at(key))))
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw describeS3Error(error)
  }
}

const getHead = async (bucket: Bucket, key: string): Promise<ObjectHead> => {
  const head = await findObject(bucket, key)
  if (!head) throw notFound()
  return head
}

/** Small objects in one request, larger ones in parts; the sha256 is ours, since S3 has none for objects made of parts. */
const putObject = async (
  bucket: Bucket,
  key: string,
  body: AsyncIterable<Uint8Array>,
  { ifAbsent = false, sizeHintBytes, signal }: PutOptions = {},
): Promise<WrittenObject> => {
  const { sdk, client, at, limits } = bucket
  await using hash = openPartHash()
  let sizeBytes = 0
  async function* hashParts(): AsyncGenerator<Buffer> {
    const partSizes = choosePartSizes(limits.partSizeBytes, sizeHintBytes)
    for await (const part of gatherParts(untilAborted(body, signal), partSizes)) {
      await hash.update(part)
      sizeBytes += part.byteLength
      yield part
    }
  }
  const parts = hashParts()
  const first = await parts.next()
  const second = first.done ? first : await parts.next()
  if (!second.done) {
    const { etag } = await withUpload(bucket, key, ifAbsent, (upload, failed) => {
      const stop = signal ? AbortSignal.any([signal, failed]) : failed
      return sendParts([first.value, second.value], parts, (partNumber, part) =>
        putPart(bucket, upload, partNumber, part, stop),
      )
    })
    return { key, sizeBytes, sha256: await hash.digest(), etag }
  }
  const condition = ifAbsent ? { IfNoneMatch: '*' } : {}
  const command = new sdk.PutObjectCommand({ ...at(key), Body: first.value ?? Buffer.alloc(0), ...condition })
  const { ETag = '' } = await explain(client.send(command, abortOn(signal)))
  return { key, sizeBytes, sha256: await hash.digest(), etag: ETag }
}

const getObject = async (bucket: Bucket, key: string, { range, signal }: ReadOptions = {}): Promise<OpenedObject> => {
  const { sdk, client, at } = bucket
  const request = (condition: { Range?: string; IfMatch?: string }): Promise<GetObjectCommandOutput> =>
    explain(client.send(new sdk.GetObjectCommand({ ...at(key), ...condition }), abortOn(signal)))
  const answer = await request(range ? { Range: `bytes=${range.start}-${range.end - 1}` } : {})
  const sizeBytes = Number(answer.ContentRange?.split('/')[1] ?? answer.ContentLength)
  const head = { ...describeHead(key, answer), sizeBytes }
  const start = range?.start ?? 0
  const end = start + (answer.ContentLength ?? 0)
  const reopen = async (position: number): Promise<Readable> =>
    toStream(await request({ Range: `bytes=${position}-${end - 1}`, IfMatch: head.etag }))
  const first = toStream(answer)
  const bytes = readResumably(first, { start, end, reopen, signal })
  const body = Readable.from(bytes, { objectMode: false, highWaterMark: MiB })
  body.once('close', () => first.destroy()) // a body that was never read has not begun to close its connection
  return { head, body }
}

const deleteObject = async ({ sdk, client, at }: Bucket, key: string): Promise<void> => {
  await client.send(new sdk.DeleteObjectCommand(at(key))).catch((error) => {
    if (nameOf(error) !== 'NoSuchKey') throw describeS3Error(error)
  })
}

async function* listObjects({ sdk, client, name, prefix }: Bucket, listed: string): AsyncGenerator<ObjectHead> {
  const pages = sdk.paginateListObjectsV2({ client }, { Bucket: name, Prefix: prefix + listed })
  for await (const page of pages) {
    for (const { Key, Size, ETag, LastModified } of page.Contents ?? []) {
      if (Key === undefined || Key.endsWith('/')) continue // a folder mark that some gateways make
      yield describeHead(Key.slice(prefix.length), { ContentLength: Size, ETag, LastModified })
    }
  }
}

const copyObject = async (bucket: Bucket, sourceKey: string, targetKey: string): Promise<void> => {
  const { sdk, client, at, limits } = bucket
  const { sizeBytes, etag } = await getHead(bucket, sourceKey)
  const CopySource = `${bucket.name}/${at(sourceKey).Key.split('/').map(encodeURIComponent).join('/')}`
  if (sizeBytes <= limits.simpleCopyBytes) {
    await explain(client.send(new sdk.CopyObjectCommand({ ...at(targetKey), CopySource })))
    return
  }
  await withUpload(bucket, targetKey, false, async ({ uploadId }) => {
    const parts: UploadedPart[] = []
    for (let start = 0; start < sizeBytes; start += limits.copyPartSizeBytes) {
      const end = Math.min(start + limits.copyPartSizeBytes, sizeBytes)
      const partNumber = parts.length + 1
      const source = { CopySource, CopySourceIfMatch: etag, CopySourceRange: `bytes=${start}-${end - 1}` }
      const command = new sdk.UploadPartCopyCommand({
        ...at(targetKey),
        UploadId: uploadId,
        PartNumber: partNumber,
        ...source,
      })
      const { CopyPartResult } = await explain(client.send(command))
      parts.push({ partNumber, sizeBytes: end - start, etag: CopyPartResult?.ETag ?? '' })
    }
    return parts
  })
}

const signGet = async (
  { sdk, signer, at, presign }: Bucket,
  key: string,
  options: SignGetOptions,
): Promise<SignedUrl> => {
  const { expiresInSeconds, contentType, disposition } = options
  const command = new sdk.GetObjectCommand({
    ...at(key),
    ...(contentType === undefined ? {} : { ResponseContentType: contentType }),
    ...(disposition === undefined ? {} : { ResponseContentDisposition: disposition }),
  })
  const url = await presign(signer, command, { expiresIn: expiresInSeconds })
  return { method: 'GET', url, headers: {}, expiresAt: expiryAfter(expiresInSeconds) }
}

const signPut = async (
  { sdk, signer, at, presign }: Bucket,
  key: string,
  options: SignPutOptions,
): Promise<SignedUrl> => {
  const { expiresInSeconds, contentType, sizeBytes } = options
  const headers = {
    'if-none-match': '*',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }),
  }
  const command = new sdk.PutObjectCommand({
    ...at(key),
    IfNoneMatch: '*',
    ...(contentType === undefined ? {} : { ContentType: contentType }),
    ...(sizeBytes === undefined ? {} : { ContentLength: sizeBytes }),
  })
  const signableHeaders = new Set(['host', ...Object.keys(headers)])
  const url = await presign(signer, command, { expiresIn: expiresInSeconds, signableHeaders })
  return { method: 'PUT', url, headers, expiresAt: expiryAfter(expiresInSeconds) }
}

const beginMultipart = async (
  { sdk, client, at }: Bucket,
  key: string,
  partSizeBytes: number,
): Promise<MultipartUpload> => {
  const { UploadId = '' } = await explain(client.send(new sdk.CreateMultipartUploadCommand(at(key))))
  return { key, uploadId: UploadId, partSizeBytes }
}

/** A lost or refused request is repeated by the SDK, up to five times with growing waits. */
const putPart = async (
  { sdk, client, at }: Bucket,
  { key, uploadId }: MultipartUpload,
  partNumber: number,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<UploadedPart> => {
  const command = new sdk.UploadPartCommand({ ...at(key), UploadId: uploadId, PartNumber: partNumber, Body: bytes })
  const { ETag = '' } = await explain(client.send(command, abortOn(signal)))
  return { partNumber, sizeBytes: bytes.byteLength, etag: ETag }
}

const completeMultipart = async (
  bucket: Bucket,
  { key, uploadId }: MultipartUpload,
  parts: readonly UploadedPart[],
  ifAbsent: boolean,
): Promise<ObjectHead> => {
  const { sdk, client, at } = bucket
  const command = new sdk.CompleteMultipartUploadCommand({
    ...at(key),
    UploadId: uploadId,
    MultipartUpload: { Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) },
    ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
  })
  try {
    await client.send(command)
  } catch (error) {
    // The answer to a first attempt may have been lost: then the upload is gone because the object is there.
    const found = nameOf(error) === 'NoSuchUpload' ? await findObject(bucket, key) : undefined
    if (found?.sizeBytes !== parts.reduce((sum, part) => sum + part.sizeBytes, 0)) throw describeS3Error(error)
  }
  return getHead(bucket, key)
}

const abortMultipart = async ({ sdk, client, at }: Bucket, { key, uploadId }: MultipartUpload): Promise<void> => {
  await client.send(new sdk.AbortMultipartUploadCommand({ ...at(key), UploadId: uploadId })).catch((error) => {
    if (nameOf(error) !== 'NoSuchUpload') throw describeS3Error(error)
  })
}

/** Makes an object of the parts that `fill` sends, and leaves none behind when it fails. */
const withUpload = async (
  bucket: Bucket,
  key: string,
  ifAbsent: boolean,
  fill: (upload: MultipartUpload, failed: AbortSignal) => Promise<UploadedPart[]>,
): Promise<ObjectHead> => {
  const upload = await beginMultipart(bucket, key, bucket.limits.partSizeBytes)
  const failure = new AbortController()
  try {
    return await completeMultipart(bucket, upload, await fill(upload, failure.signal), ifAbsent)
  } catch (error) {
    failure.abort()
    await abortMultipart(bucket, upload).catch(() => {}) // the first error says more; sweepUnfinished takes the rest
    throw error
  }
}

const sweepUnfinished = async (bucket: Bucket, olderThan: Date): Promise<number> => {
  const { sdk, client, name, prefix } = bucket
  let removed = 0
  let markers: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (markers) {
    const command = new sdk.ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...markers })
    const page: ListMultipartUploadsCommandOutput = await explain(client.send(command))
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (!Key || !UploadId || !Initiated || Initiated >= olderThan) continue
      await abortMultipart(bucket, { key: Key.slice(prefix.length), uploadId: UploadId, partSizeBytes: 0 })
      removed++
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page
    markers =
      IsTruncated && NextKeyMarker ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker ?? '' } : undefined
  }
  return removed
}

interface S3Head {
  ContentLength?: number | undefined
  ETag?: string | undefined
  LastModified?: Date | undefined
}

const describeHead = (key: string, { ContentLength = 0, ETag = '', LastModified }: S3Head): ObjectHead => ({
  key,
  sizeBytes: ContentLength,
  etag: ETag,
  lastModified: LastModified ?? new Date(0),
})

const toStream = ({ Body }: GetObjectCommandOutput): Readable => {
  if (Body instanceof Readable) return Body
  throw new ServiceError('internal_error', 'S3 answered without a body.')
}

const abortOn = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})
const expiryAfter = (seconds: number): Date => new Date(Date.now() + seconds * 1000)
