import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../../context.ts'
import type { MountedRequest } from '../../http/mount.ts'
import type { TellNewDevice } from '../devices/service.ts'
import type { Challenges } from '../passkeys/service.ts'
import type { EmbeddedProvider } from '../provider/embedded-provider.ts'
import type { Throttle } from '../throttle.ts'

export interface Throttles {
  /** Failed sign-ins by e-mail, whether there is such an account or not. */
  accounts: Throttle
  /** Failed sign-ins by client network. */
  networks: Throttle
  /** Reset mails asked for, by e-mail. */
  mails: Throttle
  /** Reset mails asked for, by client network. */
  mailNetworks: Throttle
  /** Codes of the second step, by account. */
  codes: Throttle
  /** Device codes typed, by client network. */
  deviceCodes: Throttle
}

/** A request for one of the pages, its form read and found to be ours. */
export interface PageRequest {
  context: Context
  request: IncomingMessage
  response: ServerResponse
  url: URL
  client: MountedRequest
  /** Empty unless the request is a POST. */
  form: URLSearchParams
  throttles: Throttles
  getProvider(): Promise<EmbeddedProvider>
  /** The token that a form on the answered page must carry. */
  issueToken(): string
  challenges: Challenges
  tellNewDevice: TellNewDevice
  /** Work that may outlive the answer, so that its length says nothing. */
  runAside(work: () => Promise<void>): void
}

export type PageHandler = (page: PageRequest) => Promise<void>
