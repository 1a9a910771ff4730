import { parseArgs } from 'node:util'
import { asConfig, type Command, globalOptions, type Option } from './command.ts'
import { takeSome } from './listing.ts'
import type { Session, SessionOptions } from './session.ts'
import { isVersionId } from './version-name.ts'

/** More names than anybody looks through; fetching them takes one or two requests. */
const mostNames = 500
/** A shell that hangs on Tab is worse than one that offers nothing. */
const patienceMs = 3000

interface Typed {
  command: Command | undefined
  /** Words without options and their values. */
  before: string[]
  /** The option whose value is being typed. */
  option: Option | undefined
  optionName: string | undefined
  last: string
  sessionOptions: SessionOptions
}

/**
 * What may follow the words typed so far; the last one is being typed. Names of datasets, versions, imports and projects are asked of
 * the service; when it cannot be reached in time, or nobody is signed in, none are offered.
 */
export async function complete(
  commands: readonly Command[],
  words: string[],
  openSession: (options: SessionOptions) => Session,
): Promise<string[]> {
  const typed = readTyped(commands, words)
  const { command, before, option, last } = typed
  const offer = (found: readonly string[]): string[] => [...new Set(found)].filter((word) => word.startsWith(last))
  if (option) return offer(await findNames(typed, option.value ?? '', openSession))
  if (last.startsWith('-'))
    return offer(Object.keys({ ...globalOptions, ...command?.options }).map((name) => `--${name}`))
  const next = commands
    .filter(({ name }) => before.every((word, index) => name[index] === word))
    .flatMap(({ name }) => name[before.length] ?? [])
  if (next.length > 0 || !command) return offer(next)
  const labels = command.words ?? []
  const label = labels[before.length - command.name.length] ?? labels.findLast((word) => word.includes('…')) ?? ''
  return offer(await findNames(typed, label, openSession))
}

function readTyped(commands: readonly Command[], words: string[]): Typed {
  const options: Record<string, Option> = Object.assign({}, globalOptions, ...commands.map((one) => one.options ?? {}))
  const last = words.at(-1) ?? ''
  const rest = words.slice(0, -1)
  const optionName = /^--([\w-]+)$/.exec(rest.at(-1) ?? '')?.[1]
  const option = optionName !== undefined && options[optionName]?.type === 'string' ? options[optionName] : undefined
  const args = option ? rest.slice(0, -1) : rest
  const { positionals, values } = parseArgs({ args, allowPositionals: true, strict: false, options: asConfig(options) })
  const text = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  const command = commands
    .filter(({ name }) => name.every((word, index) => positionals[index] === word))
    .sort((one, other) => other.name.length - one.name.length)[0]
  const sessionOptions = {
    profile: text('profile'),
    channel: text('channel'),
    baseUrl: text('base-url'),
    org: text('org'),
    project: text('project'),
  }
  return { command, before: positionals, option, optionName: option && optionName, last, sessionOptions }
}

/** What can stand for a label of a usage line: `DATASET`, `[ORG/]VERSION`, `stable|dev`. */
async function findNames(
  typed: Typed,
  label: string,
  openSession: (options: SessionOptions) => Session,
): Promise<string[]> {
  const plain = label.replaceAll(/\[[A-Z]+\/\]|[[\]…]/g, '')
  if (/^[a-z0-9]+(\|[a-z0-9]+)+$/.test(plain)) return plain.split('|')
  const kinds = typed.optionName === 'org' || typed.optionName === 'project' ? [typed.optionName] : plain.split('|')
  const listers = kinds.flatMap((kind) => names[kind] ?? [])
  if (listers.length === 0) return []
  const ask = async (): Promise<string[]> => {
    const session = openSession(typed.sessionOptions)
    return (await Promise.all(listers.map((list) => list(session, typed)))).flat()
  }
  const giveUp = new Promise<string[]>((resolve) => setTimeout(resolve, patienceMs, []).unref())
  return Promise.race([ask().catch(() => []), giveUp])
}

const names: Record<string, (session: Session, typed: Typed) => Promise<string[]>> = {
  DATASET: async (session) => {
    const { datasets } = await session.getClient()
    const found = await takeSome(datasets.iterateProjectDatasets(await session.getPlace()), mostNames)
    return found.map(({ slug }) => slug)
  },
  VERSION: async (session) => {
    const { versions } = await session.getClient()
    return (await takeSome(versions.iterateVersions(await session.getPlace()), mostNames)).map(({ slug }) => slug)
  },
  IMPORT: async (session) => {
    const { imports } = await session.getClient()
    return (await takeSome(imports.iterateImports(await session.getPlace()), mostNames)).map(({ id }) => id)
  },
  FLAG: async (session, { before: [, , dataset_slug = ''] }) => {
    const { curation } = await session.getClient()
    const flags = isVersionId(dataset_slug)
      ? curation.iterateVersionFlags({ org_slug: await session.getOrg(), version_id: dataset_slug })
      : curation.iterateFlags({ ...(await session.getPlace()), dataset_slug })
    return (await takeSome(flags, mostNames)).map(({ id }) => id)
  },
  'ORG/PROJECT': async (session) =>
    (await listProjects(session)).map(({ org_slug, project_slug }) => `${org_slug}/${project_slug}`),
  org: async (session) => (await listProjects(session)).map(({ org_slug }) => org_slug),
  project: async (session, { sessionOptions: { org } }) =>
    (await listProjects(session)).filter((one) => !org || one.org_slug === org).map((one) => one.project_slug),
}

const listProjects = async (session: Session) =>
  (await (await session.getClient()).users.getCurrentUser()).user.projects
