import type { ParseArgsConfig } from 'node:util'
import type { Config } from '../config.ts'
import type { ConnectedDatabase } from '../db/connect.ts'

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
