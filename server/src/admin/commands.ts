import { backup } from './backup.ts'
import { restore } from './backup-restore.ts'
import { check } from './check-command.ts'
import type { AdminCommand } from './command.ts'
import { addOrg, addProject, addUser, printSession, revoke, rotateKeys } from './people-commands.ts'

/** The words were wrong, not the world: exit code 2. */
export class UsageError extends Error {}

/** Every operator command, in the order of the help text. */
export const commands: readonly AdminCommand[] = [
  addUser,
  printSession,
  addOrg,
  addProject,
  revoke,
  rotateKeys,
  backup,
  restore,
  check,
]
