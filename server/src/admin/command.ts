import type { ParseArgsConfig } from 'node:util'
import type { Config } from '../config.ts'
import type { ConnectedDatabase } from '../db/connect.ts'

export interface AdminContext extends ConnectedDatabase {
  config: Config
}

/** The words were wrong, not the world: exit code 2. */
export class UsageError extends Error {}

export type OptionValues = Record<string, string | boolean | (string | boolean)[] | undefined>

interface CommandWords {
  name: string[]
  positionals: string[]
  options: NonNullable<ParseArgsConfig['options']>
  optionUsage: string[]
  about: string
  /** Of two commands of one name the one for folders is meant when its first word names a folder. */
  isForFolder?: boolean
}

export interface AdminCommand extends CommandWords {
  /** What it returns goes to standard output. */
  run(context: AdminContext, positionals: string[], options: OptionValues): Promise<string | undefined>
}

/** One that needs no database, and makes none in the data folder. */
export interface OfflineCommand extends CommandWords {
  runOffline(config: Config, positionals: string[], options: OptionValues): Promise<string | undefined>
}
