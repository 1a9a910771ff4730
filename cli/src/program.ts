import { parseArgs } from 'node:util'
import { asConfig, type Command, globalOptions, type Invocation, type Option } from './command.ts'
import { commands } from './commands.ts'
import { complete } from './completion.ts'
import { describeFailure, exitCodes, usageError } from './failures.ts'
import { renderFamily, renderHelp, renderOverview, renderTopic, renderUsage } from './help.ts'
import { createOutput, type Streams } from './output.ts'
import { createSession } from './session.ts'
import { type Environment, readEnvironment } from './settings.ts'
import { version } from './version.ts'

export interface Run {
  words: string[]
  streams: Streams
  signal: AbortSignal
  environment?: Environment
}

/** Runs one command line and answers its exit code. */
export async function runProgram({ words, streams, signal, environment = readEnvironment() }: Run): Promise<number> {
  const json = words.includes('--json')
  const columns = Math.min(120, streams.stdout.columns || 100)
  try {
    if (words[0] === '--version' || words[0] === '-v') {
      streams.stdout.write(`${version}\n`)
      return 0
    }
    if (words.length === 0 || words[0] === 'help' || words[0] === '--help' || words[0] === '-h') {
      streams.stdout.write(`${findHelp(words[0] === 'help' ? words.slice(1) : [], columns)}\n`)
      return words.length === 0 ? exitCodes.usage : 0
    }
    if (words[0] === '__complete') {
      const typed = words.slice(words[1] === '--' ? 2 : 1)
      const output = createOutput(streams, { json: false, quiet: true, canDraw: false })
      const found = await complete(commands, typed, (options) =>
        createSession({ options, environment, output, streams, signal }),
      )
      for (const word of found) streams.stdout.write(`${word}\n`)
      return 0
    }
    const family = words.length === 2 && /^(-h|--help)$/.test(words[1] ?? '') && renderFamily(words[0] ?? '', columns)
    if (family) {
      streams.stdout.write(`${family}\n`)
      return 0
    }
    const command = findCommand(words)
    const invocation = parse(command, words)
    if (invocation.flag('help')) {
      streams.stdout.write(`${renderHelp(command, columns)}\n`)
      return 0
    }
    checkWords(command, invocation.words)
    const output = createOutput(streams, {
      json: invocation.flag('json'),
      quiet: invocation.flag('quiet'),
      canDraw: environment.canDraw,
    })
    const options = {
      profile: invocation.text('profile'),
      channel: invocation.text('channel'),
      baseUrl: invocation.text('base-url'),
      org: invocation.text('org'),
      project: invocation.text('project'),
    }
    const code = await command.run(createSession({ options, environment, output, streams, signal }), invocation)
    return typeof code === 'number' ? code : 0
  } catch (error) {
    if (signal.aborted) {
      streams.stderr.write('\nStopped. Run the same command again to resume.\n')
      return exitCodes.interrupted
    }
    const failure = describeFailure(error)
    const { message: sentence, code = null, requestId = null } = failure
    streams.stderr.write(
      json ? `${JSON.stringify({ error: { detail: sentence, code, request_id: requestId } })}\n` : `nmp: ${sentence}\n`,
    )
    return failure.exitCode
  }
}

/** The command with the most words that the line begins with; options may stand anywhere. */
function findCommand(words: string[]): Command {
  const every = Object.assign({}, globalOptions, ...commands.map(({ options }) => options ?? {}))
  const plain = parseArgs({ args: words, allowPositionals: true, strict: false, options: asConfig(every) }).positionals
  const fits = commands.filter(({ name }) => name.every((word, index) => plain[index] === word))
  const longest = fits.sort((a, b) => b.name.length - a.name.length)[0]
  if (longest) return longest
  const group = commands.filter(({ name }) => name[0] === plain[0]).map(({ name }) => name[1])
  if (group.length > 0) throw usageError(`nmp ${plain[0]} needs one of these: ${group.join(', ')}.`)
  const near = commands.find(({ name }) => plain[0] && name[0]?.startsWith(plain[0].slice(0, 3)))
  throw usageError(
    `There is no command ${plain[0] ?? words[0]}${near ? `; did you mean nmp ${near.name.join(' ')}` : ''}. nmp help lists them.`,
  )
}

function parse(command: Command, words: string[]): Invocation {
  const options: Record<string, Option> = { ...globalOptions, ...command.options }
  const parsed = tryParse(command, words, options)
  const values = parsed.values as Record<string, string | boolean | (string | boolean)[] | undefined>
  const texts = (name: string): string[] =>
    [values[name] ?? []].flat().filter((value): value is string => typeof value === 'string')
  return {
    words: parsed.positionals.slice(command.name.length),
    text: (name) => texts(name).at(-1),
    texts,
    flag: (name) => values[name] === true,
    whole(name) {
      const text = texts(name).at(-1)
      if (text === undefined) return undefined
      if (!/^\d{1,15}$/.test(text)) throw usageError(`--${name} takes a whole number, not ${text}.`)
      return Number(text)
    },
  }
}

function tryParse(command: Command, words: string[], options: Record<string, Option>) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      strict: true,
      options: asConfig(options),
    })
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ')
    throw usageError(`${sentence?.replaceAll("'", '')}. Usage: ${renderUsage(command)}`)
  }
}

function checkWords(command: Command, words: string[]): void {
  const wanted = command.words ?? []
  const least = wanted.filter((word) => !word.startsWith('[')).length
  const most = wanted.some((word) => word.includes('…')) ? Number.POSITIVE_INFINITY : wanted.length
  if (words.length < least)
    throw usageError(`${wanted[words.length]?.replace('…', '')} is missing. Usage: ${renderUsage(command)}`)
  if (words.length > most) throw usageError(`Unexpected argument: ${words[most]}. Usage: ${renderUsage(command)}`)
}

/** `nmp help`: the overview, a family of commands, a command, or another topic. */
function findHelp(words: string[], columns: number): string {
  const [first] = words
  if (first === undefined) return renderOverview(columns)
  const page = words.length === 1 && (renderTopic(first, columns) ?? renderFamily(first, columns))
  return page || renderHelp(findCommand(words), columns)
}
