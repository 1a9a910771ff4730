import type { IncomingMessage } from 'node:http'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { explainHubRefusal } from './hub-refusals.ts'
import { followRedirects } from './redirects.ts'
import { readBody, readWhole, requirePlainBody } from './response-body.ts'
import { inTries } from './retries.ts'
import type { HuggingFaceRequest } from './source.ts'
import { openSourceDoor } from './source-door.ts'
import type { TransferLimits } from './transfer-limits.ts'

/** One repository at the hub, asked by its HTTP API. The token goes to the hub's own origin and nowhere else. */
export interface HubClient {
  readonly host: string
  /** Address of a path below the repository; the segments are encoded here. */
  locate(kind: 'api' | 'files', ...segments: string[]): URL
  getJson(address: URL): Promise<{ value: unknown; next: URL | undefined }>
  /** One try: the answer with status 200 or 206, and where it came from. */
  open(
    address: URL,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<{ response: IncomingMessage; address: URL }>
}

const maxJsonBytes = 64 * 2 ** 20
const repoIdForm = /^(?:[\w.-]{1,96}\/)?[\w.-]{1,96}$/

export const openHubClient = (
  { config }: Pick<Context, 'config'>,
  { repoId, revision, token }: Omit<HuggingFaceRequest, 'kind'>,
  signal: AbortSignal,
  limits: TransferLimits,
): HubClient => {
  if (!repoIdForm.test(repoId) || /\.\.|--|\.git$/.test(repoId))
    throw new ServiceError('source_invalid', 'Name the repository as owner/name, for example lerobot/pusht.')
  if (token !== null && !/^[\x21-\x7e]{1,512}$/.test(token))
    throw new ServiceError('source_invalid', 'The token contains invalid characters. Copy it again.')
  const endpoint = new URL(config.NMP_HF_ENDPOINT)
  // The operator named the hub: its own address needs no second permission, all that it redirects to does.
  const door = openSourceDoor(
    [
      ...config.NMP_SOURCE_ALLOW,
      `${endpoint.hostname}:${endpoint.port || (endpoint.protocol === 'https:' ? '443' : '80')}`,
    ],
    limits,
  )
  const credential = token === null ? undefined : { origin: endpoint.origin, authorization: `Bearer ${token}` }
  const asked = { repoId, revision, hasToken: token !== null, host: endpoint.hostname }

  const open: HubClient['open'] = async (start, headers, during) => {
    const answer = await followRedirects(door, start, { headers, credential, signal: during })
    const status = answer.response.statusCode ?? 0
    if (status === 200 || status === 206) return answer
    answer.response.destroy()
    throw explainHubRefusal(asked, status, answer.response.headers)
  }

  return {
    host: endpoint.hostname,
    locate(kind, ...segments) {
      const base = kind === 'api' ? 'api/datasets' : 'datasets'
      return new URL(
        `${endpoint.href.replace(/\/+$/, '')}/${base}/${repoId}/${segments.map(encodeURIComponent).join('/')}`,
      )
    },
    open,
    getJson: (address) =>
      inTries(
        async () => {
          const { response } = await open(address, { accept: 'application/json' }, signal)
          requirePlainBody(response, endpoint.hostname)
          const refusal = `${endpoint.hostname} answered about ${repoId} with more than ${maxJsonBytes} bytes.`
          const text = await readWhole(readBody(response, endpoint.hostname, limits, signal), maxJsonBytes, refusal)
          return { value: parseJson(text, endpoint.hostname), next: findNextPage(response, address, endpoint) }
        },
        limits,
        signal,
      ),
  }
}

const parseJson = (text: Buffer, host: string): unknown => {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch {
    throw new ServiceError('source_invalid', `${host} does not answer like a Hugging Face Hub. Check NMP_HF_ENDPOINT.`)
  }
}

/** The next page, while it is at the hub itself: a token must not be led elsewhere. */
const findNextPage = (response: IncomingMessage, address: URL, endpoint: URL): URL | undefined => {
  const link = /<([^>]+)>\s*;\s*rel="?next"?/.exec(String(response.headers.link ?? '').slice(0, 4096))?.[1]
  const next = link === undefined ? null : URL.parse(link, address.href)
  if (next && next.origin !== endpoint.origin)
    throw new ServiceError(
      'source_invalid',
      `${endpoint.hostname} points to another host for the rest of its file list.`,
    )
  return next ?? undefined
}
