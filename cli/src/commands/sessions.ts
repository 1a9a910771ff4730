import { ApiError } from '@nmp/sdk/client'
import type { Session as SignedIn } from '@nmp/sdk/generated/records'
import type { Command } from '../command.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'
import { takeAll } from '../listing.ts'
import type { Columns } from '../output.ts'
import { asPerson, signInOption } from '../person.ts'

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ')

const columns: Columns<SignedIn> = {
  id: ({ id }) => id,
  program: ({ program, current }) => `${program.replaceAll('_', ' ')}${current ? ' (this one)' : ''}`,
  device: ({ device }) => device,
  address: ({ address }) => address,
  since: ({ created_at: at }) => minute(at),
  'last seen': ({ last_seen_at: at }) => minute(at),
}

const ls: Command = {
  name: ['sessions', 'ls'],
  about: 'List where you are signed in, newest first; needs a session.',
  options: signInOption,
  async run(session, { flag }) {
    const sessions = await asPerson(session, flag('sign-in'), (client) => takeAll(client.users.iterateSessions()))
    session.output.list(sessions, columns, ({ id }) => id)
  },
}

const end: Command = {
  name: ['sessions', 'end'],
  words: ['[SESSION…]'],
  about: 'End sessions, by id or with --others all but the one that asks; needs a session. Tokens stay.',
  examples: ['nmp sessions end ses_0199… --sign-in', 'nmp sessions end --others --sign-in'],
  options: { others: { type: 'boolean', about: 'end all sessions but the one that asks' }, ...signInOption },
  async run(session, { words, flag }) {
    if (flag('others') === words.length > 0)
      throw usageError('Name the sessions to end, or say --others; nmp sessions ls lists them.')
    if (!flag('others')) {
      const ended = await asPerson(session, flag('sign-in'), async (client) => {
        const items: SignedIn[] = []
        for (const id of words) items.push((await client.users.endSession({ session_id: id }).catch(explain(id))).item)
        return items
      })
      return session.output.list(ended, columns, ({ id }) => id)
    }
    const { item } = await asPerson(session, flag('sign-in'), (client) => client.users.endOtherSessions())
    if (session.output.json) session.output.show(item, String(item.ended), [])
    session.output.say(`Ended ${item.ended} ${item.ended === 1 ? 'session' : 'sessions'}.`)
  },
}

const explain = (id: string) => (error: unknown) => {
  if (!(error instanceof ApiError && error.status === 404)) throw error
  throw new CommandError(
    `You have no session ${id}; it may have ended. nmp sessions ls lists them.`,
    exitCodes.notFound,
    error,
  )
}

export const sessionCommands = [ls, end]
