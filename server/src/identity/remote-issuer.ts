import type { JSONWebKeySet } from 'jose'
import { createKeySource, type KeySource } from './key-source.ts'

/** What an external issuer says about itself, as far as sessions need it. */
export interface IssuerMetadata {
  issuer: string
  jwksUri: string
  userinfoEndpoint: string | undefined
}

/** What is kept across restarts, so that an outage of the issuer ends no session even when this program starts in it. */
export interface IssuerMemory {
  load(): Promise<unknown>
  store(value: unknown): Promise<void>
}

export interface RemoteIssuer {
  keys: KeySource
  /** Throws while the issuer was never reached. */
  getMetadata(): Promise<IssuerMetadata>
  /** The person's claims by their own access token; empty where the issuer has no such endpoint, undefined while it does not answer. */
  findUserinfo(accessToken: string): Promise<Record<string, unknown> | undefined>
}

interface Remembered extends IssuerMetadata {
  keys: JSONWebKeySet
}

const largestDocument = 256 * 1024

export function createRemoteIssuer(
  configuredIssuer: string,
  memory: IssuerMemory,
  { maxAgeMs = 10 * 60_000, cooldownMs = 30_000, timeoutMs = 5_000 } = {},
): RemoteIssuer {
  let known: IssuerMetadata | undefined
  let stored: string | undefined

  const askIssuer = async (): Promise<Remembered> => {
    const metadata = readMetadata(
      configuredIssuer,
      await fetchDocument(`${configuredIssuer}/.well-known/openid-configuration`, timeoutMs),
    )
    const keys = await fetchDocument(metadata.jwksUri, timeoutMs)
    if (!Array.isArray(keys.keys)) throw new Error(`${metadata.jwksUri} answered something other than a key set.`)
    return { ...metadata, keys: keys as unknown as JSONWebKeySet }
  }

  const load = async (): Promise<JSONWebKeySet> => {
    try {
      const answer = await askIssuer()
      known = answer
      const text = JSON.stringify(answer)
      if (stored !== text) await memory.store(answer)
      stored = text
      return answer.keys
    } catch (cause) {
      if (known) throw cause
      const remembered = (await memory.load()) as Remembered | undefined
      if (!remembered || !isIssuer(configuredIssuer, remembered.issuer)) throw cause
      known = remembered
      return remembered.keys
    }
  }

  const keys = createKeySource(load, { maxAgeMs, cooldownMs })
  const getMetadata = async (): Promise<IssuerMetadata> => {
    await keys.get()
    if (!known) throw new Error(`${configuredIssuer} has not been reached yet.`)
    return known
  }
  return {
    keys,
    getMetadata,
    async findUserinfo(accessToken) {
      const { userinfoEndpoint } = await getMetadata()
      if (!userinfoEndpoint) return {}
      try {
        return await fetchDocument(userinfoEndpoint, timeoutMs, { authorization: `Bearer ${accessToken}` })
      } catch {
        return undefined
      }
    },
  }
}

/** Settings lose a slash at their end; some issuers have one in their name. */
const isIssuer = (configured: string, said: unknown): said is string => said === configured || said === `${configured}/`

function readMetadata(configured: string, document: Record<string, unknown>): IssuerMetadata {
  const { issuer, jwks_uri: jwksUri, userinfo_endpoint: userinfoEndpoint } = document
  if (!isIssuer(configured, issuer))
    throw new Error(`${configured} calls itself ${JSON.stringify(issuer)}. Set NMP_OIDC_ISSUER to its exact name.`)
  const secure = configured.startsWith('https:')
  const isUsable = (address: unknown): address is string =>
    typeof address === 'string' && URL.canParse(address) && (!secure || address.startsWith('https:'))
  if (!isUsable(jwksUri)) throw new Error(`${configured} names no usable jwks_uri.`)
  return { issuer, jwksUri, userinfoEndpoint: isUsable(userinfoEndpoint) ? userinfoEndpoint : undefined }
}

/** A JSON object from where it was asked, and from nowhere else: a redirect is a refusal, as is more than 256 KiB. */
async function fetchDocument(
  address: string,
  timeoutMs: number,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(address, {
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json', ...headers },
  })
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel()
    throw new Error(`${address} answered ${response.status}.`)
  }
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > largestDocument) throw new Error(`${address} answered more than ${largestDocument} bytes.`)
    chunks.push(chunk)
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (typeof value !== 'object' || value === null) throw new Error(`${address} answered no JSON object.`)
  return value as Record<string, unknown>
}
