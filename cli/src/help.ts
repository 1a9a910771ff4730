import { type Command, globalOptions, type Option } from './command.ts'
import { type CommandGroup, groups } from './commands.ts'
import { exitCodes } from './failures.ts'

const describeOption = (name: string, { short, value, type }: Option): string =>
  `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` ${value ?? 'VALUE'}` : ''}`

export const renderUsage = ({ name, words = [], options = {} }: Command): string =>
  [
    'nmp',
    ...name,
    ...words,
    ...Object.entries(options).map(([key, option]) => `[${describeOption(key, option)}]`),
  ].join(' ')

/** Two columns; what is too long for the line goes on below itself. */
function renderRows(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  const room = Math.max(30, columns - width - 4)
  return rows.flatMap(([left, right]) =>
    wrap(right, room).map((line, index) => `  ${(index === 0 ? left : '').padEnd(width)}  ${line}`),
  )
}

function wrap(text: string, room: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const rowsOf = (options: Record<string, Option>) =>
  Object.entries(options).map(([name, option]) => [describeOption(name, option), option.about] as const)

export function renderHelp(command: Command, columns: number): string {
  const { name, words = [], about, options, examples = [] } = command
  return [
    `usage: ${['nmp', ...name, ...words].join(' ')} [options]`,
    '',
    ...wrap(about, columns),
    '',
    ...(examples.length > 0 ? ['examples:', ...examples.map((line) => `  ${line}`), ''] : []),
    ...(options ? ['options:', ...renderRows(rowsOf(options), columns), ''] : []),
    'for every command:',
    ...renderRows(rowsOf(globalOptions), columns),
  ].join('\n')
}

const renderGroup = ({ title, commands }: CommandGroup, columns: number): string[] => [
  `${title}:`,
  ...renderRows(
    commands.map(({ name, words = [], about }) => [
      ['nmp', ...name, ...words].join(' '),
      about.split(/[;:] |\.(?: |$)/)[0] ?? '',
    ]),
    columns,
  ),
  '',
]

export const renderOverview = (columns: number): string =>
  [
    'The nmp command: bring robot data in, see what is in it, take out a dataset that trains.',
    '',
    ...groups.flatMap((group) => renderGroup(group, columns)),
    'nmp COMMAND --help shows options and examples; nmp help environment and nmp help exit-codes what else counts.',
    '--json (a record or an array) and -q (ids only) work everywhere.',
  ].join('\n')

/** The commands that begin with a word: `nmp help versions`. */
export function renderFamily(word: string, columns: number): string | undefined {
  const family = groups.flatMap(({ commands }) => commands).filter(({ name }) => name.length > 1 && name[0] === word)
  if (family.length === 0) return undefined
  return [
    ...renderGroup({ title: `nmp ${word}`, commands: family }, columns),
    `nmp ${word} COMMAND --help shows options and examples.`,
  ].join('\n')
}

const exitMeanings: Record<keyof typeof exitCodes, string> = {
  failed: 'something else went wrong here: a full disk, a file that may not be read',
  usage: 'the command line is wrong, or a setting is missing',
  credential: 'not signed in, or the token or the role does not reach this',
  notFound: 'there is no such thing, or you may not see it',
  refused: 'the service refuses: a value is wrong, or it contradicts what is there',
  unreachable: 'the service cannot be reached, is busy or broken: try again',
  jobFailed: 'the import or export failed or was canceled',
  damaged: 'what was downloaded is not what was announced',
  interrupted: 'stopped by Ctrl-C; the same command goes on where it stopped',
}

const environment: [string, string][] = [
  ['NMP_BASE_URL', 'address of the service, before that of the sign-in'],
  ['NMP_DEV_BASE_URL', 'the same for --channel dev'],
  ['NMP_TOKEN', 'a personal access token, before that of the sign-in'],
  ['NMP_PROFILE', 'which sign-in to use'],
  ['NMP_ORG, NMP_PROJECT', 'what commands work on, before what nmp use set'],
  ['TERM=dumb', 'no bars on the terminal'],
  ['XDG_CONFIG_HOME', 'the sign-ins are in nmp/credentials.json below it (default ~/.config), for you alone (0600)'],
  ['XDG_STATE_HOME', 'unfinished uploads are remembered in nmp/uploads.json below it (default ~/.local/state)'],
]

/** Pages that are no command. */
export function renderTopic(word: string, columns: number): string | undefined {
  if (word === 'environment') return ['environment:', ...renderRows(environment, columns)].join('\n')
  if (word !== 'exit-codes') return undefined
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  const rows = names.map((name) => [String(exitCodes[name]), exitMeanings[name]] as const)
  return ['exit codes:', ...renderRows([['0', 'done'], ...rows], columns)].join('\n')
}
