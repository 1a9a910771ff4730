import type { Command } from './command.ts'
import { accountCommands } from './commands/account.ts'
import { importCommands } from './commands/import.ts'
import { importsCommands } from './commands/imports.ts'
import { toolCommands } from './commands/tools.ts'

/** Every command, in the order in which `nmp help` lists them. */
export const commands: Command[] = [...accountCommands, ...importCommands, ...importsCommands, ...toolCommands]
