import type { Command } from './command.ts'
import { accountCommands } from './commands/account.ts'
import { datasetCommands } from './commands/datasets.ts'
import { exportCommands } from './commands/export.ts'
import { importCommands } from './commands/import.ts'
import { importsCommands } from './commands/imports.ts'
import { toolCommands } from './commands/tools.ts'
import { versionCommands } from './commands/versions.ts'

/** Every command, in the order in which `nmp help` lists them. */
export const commands: Command[] = [
  ...accountCommands,
  ...datasetCommands,
  ...importCommands,
  ...importsCommands,
  ...versionCommands,
  ...exportCommands,
  ...toolCommands,
]
