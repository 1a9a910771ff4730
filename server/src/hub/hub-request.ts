import type { IncomingMessage } from 'node:http'
import type { Caller } from '../access/principal.ts'
import type { Context } from '../context.ts'
import type { AnyRoute } from '../http/route.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { HubLinks } from './hub-links.ts'
import type { ListFiles, NameFile } from './reading/commit-files.ts'
import type { Patience, WaitForFiles } from './reading/version-files.ts'

/** A request at the door, and what its routes work with. */
export interface HubRequest {
  context: Context
  caller: Caller | undefined
  request: IncomingMessage
  /** Where it comes from. */
  address: string
  url: URL
  /** The named groups of the address, decoded. */
  params: Record<string, string>
  signal: AbortSignal
  listFiles: ListFiles
  nameFile: NameFile
  links: HubLinks
  waitForFiles: WaitForFiles
}

export interface HubRoute {
  /** Its row in the table of permissions. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'any'
  /** Below /hf. GET answers HEAD too. */
  address: RegExp
  /**
   * What a token needs, as at the API. `optional`: everybody, who then sees what they may read there. `signed`: a link or a token of the
   * store, which the route itself looks at.
   */
  credentials: AnyRoute['credentials'] | 'signed'
  handle(call: HubRequest): Promise<HubAnswer>
}

/** A route that pushes: as `POST …/imports` it needs the scope, and the role of an editor where it leads. */
export const pushRoute = (
  id: string,
  method: HubRoute['method'],
  address: RegExp,
  handle: HubRoute['handle'],
): HubRoute => ({ id, method, address, credentials: ['imports:write'], handle })

/** Calls of the API have no time-out and no second try in either client; see docs/hub.md. */
export const patient = ({ signal }: HubRequest): Patience => ({
  waitSeconds: 240,
  refusal: 'not_ready',
  signal,
})

/** A download gives up after ten seconds and is tried again: huggingface_hub 1.x on 429, 0.x on 5xx. */
export const hasty = ({ signal, request }: HubRequest): Patience => ({
  waitSeconds: 7,
  refusal:
    request.method === 'GET' && !/hf_hub\/0\./.test(request.headers['user-agent'] ?? '')
      ? 'too_many_requests'
      : 'not_ready',
  signal,
})
