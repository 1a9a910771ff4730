import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { describeError } from '../errors.ts'
import { type AdminCommand, type OfflineCommand, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { connectOperator } from './connect-operator.ts'

type Command = AdminCommand | OfflineCommand

/** Operator commands. They work beside a running server, on the embedded database or on NMP_DATABASE_URL. */
try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

async function run(words: string[]): Promise<number> {
  const command = findCommand(words)
  if (!command) {
    process.stderr.write(renderHelp())
    return words[0] === 'help' || words[0] === '--help' ? 0 : 2
  }
  const { values, positionals } = readWords(command, words.slice(command.name.length))
  const config = loadConfig()
  if ('runOffline' in command) {
    say(await command.runOffline(config, positionals, values))
    return 0
  }
  const database = await connectOperator(config)
  try {
    say(await command.run({ config, ...database }, positionals, values))
    return 0
  } finally {
    await database.close()
  }
}

function say(output: string | undefined): void {
  if (output) process.stdout.write(`${output}\n`)
}

function findCommand(words: string[]): Command | undefined {
  const named = commands.filter(({ name }) => name.every((word, index) => words[index] === word))
  const [first] = named
  if (!first) return undefined
  const place = words.slice(first.name.length).find((word) => !word.startsWith('-'))
  const isFolder = place !== undefined && (statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false)
  return (
    named.find(({ name, isForFolder = false }) => name.length === first.name.length && isForFolder === isFolder) ??
    first
  )
}

function readWords(command: Command, words: string[]) {
  try {
    const parsed = parseArgs({ args: words, options: command.options, allowPositionals: true, strict: true })
    if (parsed.positionals.length !== command.positionals.length) throw new Error('wrong number of words')
    return parsed
  } catch (error) {
    throw new UsageError(`${describeError(error)}\nusage: npm run -s admin -- ${renderUsage(command)}`)
  }
}

// Declarations, since the call above runs before a constant down here has its value.
function renderUsage(command: Command): string {
  return [...command.name, ...command.positionals, ...command.optionUsage].join(' ')
}

function renderHelp(): string {
  const lines = commands.map((command) => `  ${renderUsage(command)}\n      ${command.about}`)
  return `usage: npm run -s admin -- COMMAND\n\n${lines.join('\n')}\n`
}
