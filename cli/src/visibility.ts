import { CommandError } from './failures.ts'
import type { Session } from './session.ts'

export const yesOption = { yes: { type: 'boolean', short: 'y', about: 'do not ask' } } as const

/** What was public cannot be taken back from those who saw it, and what is withdrawn ends for those who use it. */
export async function confirmVisibility(
  session: Session,
  isSure: boolean,
  visibility: 'public' | 'private',
  what: string,
): Promise<void> {
  const question =
    visibility === 'public'
      ? `Publish ${what}? Everybody can then see and download it.`
      : `Withdraw ${what}? Addresses of its media that were made for the public end.`
  if (!isSure && !(await session.ask(question)))
    throw new CommandError(`Nothing was changed. ${question} Run it with --yes to do so.`)
}
