import type { Client } from '@nmp/sdk/client'
import { signInByDevice } from './device-flow.ts'
import type { Session } from './session.ts'

export const signInOption = {
  'sign-in': {
    type: 'boolean',
    about: 'sign in with a code in the browser; this command needs a session, a token is not enough',
  },
} as const

/** Does `work` as the command is signed in, or after --sign-in with a session of its own, which is ended afterwards. */
export async function asPerson<T>(session: Session, signIn: boolean, work: (client: Client) => Promise<T>): Promise<T> {
  if (!signIn) return work(await session.getClient())
  const baseUrl = await session.getBaseUrl()
  const client = session.openClient(baseUrl, await signInByDevice(session, baseUrl))
  try {
    return await work(client)
  } finally {
    await client.users.signOut().catch(() => {})
  }
}
