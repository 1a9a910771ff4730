import { describeError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { storeIdKey } from '../keys.ts'
import type { ObjectStorage } from '../storage.ts'

const deadlineMilliseconds = 15_000

interface CheckOptions {
  /** As it is set: NMP_S3_PUBLIC_ENDPOINT. */
  endpoint: string
  /** Where the pages come from that ask the bucket. */
  publicUrl: string
  log: Log
}

/**
 * Whether the address that clients are sent to leads to the bucket, seen from here. One that does not is refused at the start, since
 * nobody could download or watch anything. A bucket that lets no page read its answers is only told of: downloads and videos work without.
 */
export async function checkPublicEndpoint(
  storage: ObjectStorage,
  { endpoint, publicUrl, log }: CheckOptions,
): Promise<void> {
  const { url } = await storage.signGet(storeIdKey, { expiresInSeconds: 60 })
  const { origin } = new URL(publicUrl)
  const answer = await fetch(url, { headers: { origin }, signal: AbortSignal.timeout(deadlineMilliseconds) }).catch(
    (error) => {
      throw refusal(endpoint, `it gives no answer (${describeError(error.cause ?? error)})`)
    },
  )
  await answer.arrayBuffer()
  if (answer.status !== 200) throw refusal(endpoint, `it answers ${answer.status} to a signed address`)
  const allowed = answer.headers.get('access-control-allow-origin')
  if (allowed !== '*' && allowed !== origin)
    log.warn(
      { endpoint, origin },
      'the bucket lets no page of this origin read its answers (CORS): videos play and downloads work, but frames and charts that the console reads itself do not. Allow GET and HEAD from this origin, with the header Range (docs/storage.md).',
    )
}

const refusal = (endpoint: string, why: string): Error =>
  new Error(
    `NMP_S3_PUBLIC_ENDPOINT (${endpoint}) does not lead to the bucket: ${why}. ` +
      'Set it to the address at which browsers reach the bucket, or leave it out: objects then pass through the API.',
  )

/** Where pages are sent for objects, as a content security policy names it. */
export const findObjectOrigin = (settings: {
  NMP_S3_BUCKET: string | undefined
  NMP_S3_PUBLIC_ENDPOINT: string | undefined
  NMP_S3_FORCE_PATH_STYLE: boolean
}): string | undefined => {
  const { NMP_S3_BUCKET: bucket, NMP_S3_PUBLIC_ENDPOINT: endpoint, NMP_S3_FORCE_PATH_STYLE: isInPath } = settings
  if (!bucket || !endpoint) return undefined
  const { protocol, host } = new URL(endpoint)
  return `${protocol}//${isInPath ? '' : `${bucket}.`}${host}`
}
