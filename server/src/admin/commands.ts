import type { ParseArgsConfig } from 'node:util'
import type { Config } from '../config.ts'
import type { ConnectedDatabase } from '../db/connect.ts'
import { backup } from './backup.ts'
import { restore } from './backup-restore.ts'
import { check } from './check-command.ts'
import { addOrg, addProject, addUser, printSession, revoke, rotateKeys } from './people-commands.ts'

export interface AdminContext extends ConnectedDatabase {
  config: Config
}

export type OptionValues = Record<string, string | boolean | (string | boolean)[] | undefined>

export interface AdminCommand {
  name: string[]
  positionals: string[]
  options: NonNullable<ParseArgsConfig['options']>
  optionUsage: string[]
  about: string
  /** What it returns goes to standard output. */
  run(context: AdminContext, positionals: string[], options: OptionValues): Promise<string | undefined>
}

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
