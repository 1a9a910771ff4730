import { type Client, createClient } from '@nmp/sdk/client'
import { type Channel, type Credentials, type Profile, readCredentials, type SignIn } from './credentials.ts'
import { CommandError, exitCodes, usageError } from './failures.ts'
import type { Output, Streams } from './output.ts'
import { createProgress, type Progress } from './progress.ts'
import type { Environment } from './settings.ts'

export interface Place {
  org_slug: string
  project_slug: string
}

/** What a command works with. */
export interface Session {
  output: Output
  environment: Environment
  profileName: string
  channel: Channel
  signal: AbortSignal
  stdin: NodeJS.ReadStream
  readCredentials(): Promise<Credentials>
  /** Where the service is; says how to set it when nothing does. */
  getBaseUrl(): Promise<string>
  getClient(): Promise<Client>
  /** A client for one of several addresses or tokens, used by the sign-in. */
  openClient(baseUrl: string, token: string | undefined): Client
  /** The organization and project that the options, the profile or the account name. */
  getPlace(): Promise<Place>
  getOrg(): Promise<string>
  startProgress(label: string, unit: 'bytes' | 'percent'): Progress
  /** Asks a person; where nobody can answer, the answer is no. */
  ask(question: string): Promise<boolean>
  /** For sentences that must be seen whatever the options: what to open in a browser. */
  tell(line: string): void
}

export interface SessionOptions {
  profile: string | undefined
  channel: string | undefined
  baseUrl: string | undefined
  org: string | undefined
  project: string | undefined
}

interface SessionParts {
  options: SessionOptions
  environment: Environment
  output: Output
  streams: Streams
  signal: AbortSignal
}

export function createSession({ options, environment, output, streams, signal }: SessionParts): Session {
  const profileName = options.profile ?? environment.profile ?? 'default'
  const channel = readChannel(options.channel)
  let credentials: Promise<Credentials> | undefined
  let client: Promise<Client> | undefined
  let place: Promise<Place> | undefined
  const readOnce = (): Promise<Credentials> => {
    credentials ??= readCredentials(environment.configFolder)
    return credentials
  }
  const readProfile = async (): Promise<Profile> => (await readOnce()).profiles[profileName] ?? {}
  const readSignIn = async (): Promise<SignIn | undefined> => (await readProfile())[channel]
  const fromEnvironment = channel === 'dev' ? environment.devBaseUrl : environment.baseUrl
  const findBaseUrl = async (): Promise<string | undefined> =>
    options.baseUrl ?? fromEnvironment ?? (await readSignIn())?.base_url

  const getBaseUrl = async (): Promise<string> => {
    const found = await findBaseUrl()
    if (!found) throw new CommandError(sayNoAddress(channel), exitCodes.usage)
    if (!/^https?:\/\/[^/]/.test(found))
      throw usageError(`${found} is not an address. Write it like https://data.example.org.`)
    return found.replace(/\/+$/, '')
  }
  const openClient = (baseUrl: string, token: string | undefined): Client => createClient({ baseUrl, token })
  const openDefault = async (): Promise<Client> => {
    const [baseUrl, signIn] = [await getBaseUrl(), await readSignIn()]
    const own = signIn && new URL(signIn.base_url).origin === new URL(baseUrl).origin ? signIn.token : undefined
    return openClient(baseUrl, environment.token ?? own)
  }
  const getClient = (): Promise<Client> => {
    client ??= openDefault()
    return client
  }
  const getPlace = (): Promise<Place> => {
    place ??= readProfile().then(async (profile) =>
      findPlace(await getClient(), {
        org: options.org ?? environment.org ?? profile.org,
        project: options.project ?? environment.project ?? (options.org ? undefined : profile.project),
      }),
    )
    return place
  }
  return {
    output,
    environment,
    profileName,
    channel,
    signal,
    stdin: process.stdin,
    readCredentials: readOnce,
    getBaseUrl,
    getClient,
    openClient,
    getPlace,
    getOrg: async () => options.org ?? environment.org ?? (await getPlace()).org_slug,
    startProgress: (label, unit) => createProgress(streams.stderr, output, label, unit),
    ask: async (question) => {
      if (process.stdin.isTTY !== true || streams.stderr.isTTY !== true) return false
      streams.stderr.write(`${question} [y/N] `)
      for await (const line of process.stdin) return /^y(es)?\s*$/i.test(String(line))
      return false
    },
    tell: (line) => void streams.stderr.write(`${line}\n`),
  }
}

function readChannel(given: string | undefined): Channel {
  if (given === undefined || given === 'stable') return 'stable'
  if (given === 'dev') return 'dev'
  throw usageError(`--channel is stable or dev, not ${given}.`)
}

const sayNoAddress = (channel: Channel): string =>
  channel === 'dev'
    ? 'Where is the dev channel? Run nmp login --channel dev --base-url URL, or set NMP_DEV_BASE_URL.'
    : 'Where is the service? Run nmp login --base-url URL, or set NMP_BASE_URL.'

/** What was not named is taken from the account: its default project, or the only one there is. */
export async function findPlace(
  client: Client,
  { org, project }: { org: string | undefined; project: string | undefined },
): Promise<Place> {
  if (org && project) return { org_slug: org, project_slug: project }
  const [{ user }, { item: profile }] = await Promise.all([client.users.getCurrentUser(), client.users.getProfile()])
  const fits = user.projects.filter(
    (one) => (org === undefined || one.org_slug === org) && (project === undefined || one.project_slug === project),
  )
  const preferred = fits.find(
    (one) => one.org_slug === profile.default_project_org_slug && one.project_slug === profile.default_project_slug,
  )
  const isOneOrg = new Set(fits.map((one) => one.org_slug)).size === 1
  const chosen =
    preferred ?? (isOneOrg ? (fits.find((one) => one.project_slug === 'default') ?? only(fits)) : undefined)
  if (chosen) return { org_slug: chosen.org_slug, project_slug: chosen.project_slug }
  const names = fits.slice(0, 10).map((one) => `${one.org_slug}/${one.project_slug}`)
  throw usageError(
    names.length > 0
      ? `Which project? Choose one with nmp use ORG/PROJECT, or --org and --project: ${names.join(', ')}.`
      : 'You have no matching project. Ask an admin of the organization for a role, or choose another project with --org and --project.',
  )
}

const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined)
