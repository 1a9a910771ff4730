import type { Command } from './command.ts'
import { accountCommands } from './commands/account.ts'
import { datasetCommands } from './commands/datasets.ts'
import { diffCommands } from './commands/diff.ts'
import { exportCommands } from './commands/export.ts'
import { flagCommands } from './commands/flags.ts'
import { importCommands } from './commands/import.ts'
import { importsCommands } from './commands/imports.ts'
import { mergeCommands } from './commands/merge.ts'
import { sessionCommands } from './commands/sessions.ts'
import { toolCommands } from './commands/tools.ts'
import { versionCommands } from './commands/versions.ts'

export interface CommandGroup {
  title: string
  commands: Command[]
}

/** Every command, in the order in which `nmp help` lists them. */
export const groups: CommandGroup[] = [
  { title: 'sign-in', commands: [...accountCommands, ...sessionCommands] },
  { title: 'datasets', commands: [...datasetCommands, ...flagCommands, ...diffCommands] },
  { title: 'bring data in', commands: [...importCommands, ...importsCommands] },
  { title: 'derive and take out', commands: [...versionCommands, ...mergeCommands, ...exportCommands] },
  { title: 'tools', commands: toolCommands },
]

export const commands: Command[] = groups.flatMap((group) => group.commands)
