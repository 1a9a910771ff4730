import { backup } from './backup.ts'
import { restore } from './backup-restore.ts'
import { check } from './check-command.ts'
import type { AdminCommand } from './command.ts'
import {
  addOrg,
  addProject,
  addUser,
  printInviteLink,
  printSession,
  proveUser,
  resetTwoStep,
  revoke,
  rotateKeys,
} from './people-commands.ts'
import { resetSecrets, rotateSecrets } from './secrets-commands.ts'

/** The words were wrong, not the world: exit code 2. */
export class UsageError extends Error {}

/** Every operator command, in the order of the help text. */
export const commands: readonly AdminCommand[] = [
  addUser,
  proveUser,
  resetTwoStep,
  printInviteLink,
  printSession,
  addOrg,
  addProject,
  revoke,
  rotateKeys,
  rotateSecrets,
  resetSecrets,
  backup,
  restore,
  check,
]
