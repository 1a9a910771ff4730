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
    'The nmp command: import robot data, look at it, export a dataset that trains.',
    '',
    ...groups.flatMap((group) => renderGroup(group, columns)),
    'See also: nmp COMMAND --help for options and examples, nmp help environment, nmp help exit-codes.',
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
  failed: 'it could not be done; the message says why (for example a full disk)',
  usage: 'the command line is wrong, or a setting is missing',
  credential: 'not signed in, or your token or role does not allow this',
  notFound: 'not found, or you may not see it',
  refused: 'refused by the service: invalid, or in conflict with the present state',
  unreachable: 'the service cannot be reached or is overloaded: try again',
  jobFailed: 'the import, export or check failed or was canceled',
  damaged: 'the download is damaged',
  found: 'nmp check found something at or above --fail-on',
  interrupted: 'stopped by Ctrl-C; run the same command again to resume',
}

const environment: [string, string][] = [
  ['NMP_BASE_URL', 'address of the service; overrides the one you signed in to'],
  ['NMP_DEV_BASE_URL', 'the same for --channel dev'],
  ['NMP_TOKEN', 'a personal access token; overrides the stored one'],
  ['NMP_PROFILE', 'which sign-in to use'],
  ['NMP_ORG, NMP_PROJECT', 'organization and project; override those set with nmp use'],
  ['TERM=dumb', 'no progress bars'],
  [
    'XDG_CONFIG_HOME',
    'sign-ins are stored in nmp/credentials.json below it (default ~/.config), readable only by you (0600)',
  ],
  ['XDG_STATE_HOME', 'unfinished uploads are recorded in nmp/uploads.json below it (default ~/.local/state)'],
]

/** Pages that are no command. */
export function renderTopic(word: string, columns: number): string | undefined {
  if (word === 'environment') return ['environment:', ...renderRows(environment, columns)].join('\n')
  if (word !== 'exit-codes') return undefined
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  const rows = names.map((name) => [String(exitCodes[name]), exitMeanings[name]] as const)
  return ['exit codes:', ...renderRows([['0', 'done'], ...rows], columns)].join('\n')
}
