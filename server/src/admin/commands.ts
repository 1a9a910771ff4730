import { backup } from './backup.ts'
import {
  backupFolder,
  listBackups,
  makeBackupKey,
  pruneBackups,
  restoreBackups,
  verifyBackups,
} from './backup-folder.ts'
import { restore } from './backup-restore.ts'
import { check } from './check-command.ts'
import type { AdminCommand, OfflineCommand } from './command.ts'
import { migrate } from './migrate-command.ts'
import { move } from './move.ts'
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

/** Every operator command, in the order of the help text. */
export const commands: readonly (AdminCommand | OfflineCommand)[] = [
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
  migrate,
  makeBackupKey,
  verifyBackups,
  pruneBackups,
  backup,
  backupFolder,
  listBackups,
  restore,
  restoreBackups,
  move,
  check,
]
