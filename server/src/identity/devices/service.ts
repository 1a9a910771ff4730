import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../../context.ts'
import { readCookie } from '../pages/form-guard.ts'
import type { LocalAccount } from '../repository.ts'
import { createThrottle } from '../throttle.ts'
import { describeUserAgent } from '../user-agent.ts'
import * as repository from './repository.ts'

interface NewDevice {
  account: Pick<LocalAccount, 'userId' | 'email'>
  /** What signed in: `A browser`, `A command line`. */
  what: string
  userAgent: string
  address: string
}

export type TellNewDevice = (device: NewDevice) => void

const cookieSeconds = 400 * 24 * 3600
const mailLimit = { most: 5, minutes: 60 }

/** Tells people of devices that are new, five an hour for an account: whoever signs in over and over fills no mailbox. */
export function createDeviceMails(
  context: Pick<Context, 'db' | 'publicUrl' | 'sendMail'>,
  runAside: (work: () => Promise<void>) => void,
): TellNewDevice {
  const mails = createThrottle(context.db, 'device-mails', mailLimit)
  return ({ account, what, userAgent, address }) => {
    const { publicUrl } = context
    runAside(async () => {
      if ((await mails.count(account.userId)) !== undefined) return
      await context.sendMail({
        to: account.email,
        subject: `New sign-in to nmp: ${describeUserAgent(userAgent)}`,
        text: [
          `${what} that was not known before signed in as ${account.email} at ${publicUrl}.`,
          [
            `Program: ${describeUserAgent(userAgent)}`,
            `Time: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
            `Address: ${address}`,
          ].join('\n'),
          'If it was you, there is nothing to do.',
          `If not, end it at ${publicUrl}/account/sessions and choose a new password: ${publicUrl}/password/forgot`,
        ].join('\n\n'),
      })
    })
  }
}

/** A request in which somebody has signed in. */
interface SignInExchange {
  context: Pick<Context, 'db' | 'publicUrl'>
  request: IncomingMessage
  response: ServerResponse
  client: { address: string }
  tellNewDevice: TellNewDevice
}

/** Knows a browser again by a cookie, of which the database has the hash; its person hears of one that is new. */
export async function noteDevice(page: SignInExchange, account: LocalAccount): Promise<void> {
  const { context, request, response, client } = page
  const https = context.publicUrl.startsWith('https:')
  const name = https ? '__Host-nmp_device' : 'nmp_device'
  const device = readCookie(request, name) ?? randomBytes(18).toString('base64url')
  response.appendHeader(
    'set-cookie',
    `${name}=${device}; Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`,
  )
  const sha256 = createHash('sha256').update(device).digest()
  const { isNew, isFirst } = await repository.noteDevice(context.db, account.userId, sha256)
  if (!isNew || isFirst) return
  const userAgent = request.headers['user-agent'] ?? ''
  page.tellNewDevice({ account, what: 'A browser', userAgent, address: client.address })
}
