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
      ? `Publish ${what}? Everyone will be able to see and download it.`
      : `Withdraw ${what}? Public links to its media stop working.`
  if (!isSure && !(await session.ask(question)))
    throw new CommandError(`Nothing was changed. Run the command again with --yes to confirm: ${question}`)
}
