import { hostname } from 'node:os'
import { text as readText } from 'node:stream/consumers'
import type { Command } from '../command.ts'
import { credentialsPath, type Profile, type SignIn, writeCredentials } from '../credentials.ts'
import { signInByDevice } from '../device-flow.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'
import { takeAll } from '../listing.ts'
import { asPerson, signInOption } from '../person.ts'
import { findPlace, type Session } from '../session.ts'

/** All but the deletion of datasets, which no command of ours does. */
const loginScopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write'] as const

const login: Command = {
  name: ['login'],
  about: 'Sign in and store a token for this address; also sets the default organization and project.',
  examples: [
    'nmp login --base-url https://data.example.org',
    'nmp login --base-url https://data.example.org --token - < token.txt',
    'nmp login --channel dev --base-url https://dev.data.example.org',
  ],
  options: {
    token: {
      type: 'string',
      value: 'TOKEN|-',
      about: 'a personal access token instead of the browser; - reads standard input',
    },
    'expires-in-days': { type: 'string', value: 'N', about: 'days until the new token expires, 1 to 366; default 30' },
  },
  async run(session, { text, whole }) {
    const baseUrl = await session.getBaseUrl()
    const given = text('token')
    const token = given === '-' ? (await readText(session.stdin)).trim() : given
    if (token !== undefined && token === '')
      throw usageError('--token needs a value: --token nmp_…, or --token - with the token on standard input.')
    const made =
      token === undefined ? await createToken(session, baseUrl, whole('expires-in-days')) : { token, tokenId: null }
    const client = session.openClient(baseUrl, made.token)
    const { user } = await client.users.getCurrentUser()
    const signIn: SignIn = { base_url: baseUrl, token: made.token, token_id: made.tokenId, email: user.email }
    // Of several projects a person chooses; one that stands out need not be named each time.
    const place = await findPlace(client, { org: undefined, project: undefined }).catch(() => undefined)
    const isThere = ({ org, project }: Profile): boolean =>
      user.projects.some((one) => one.org_slug === org && one.project_slug === project)
    const { org, project } = await changeProfile(session, (profile) => ({
      ...profile,
      ...(place && !isThere(profile) ? { org: place.org_slug, project: place.project_slug } : {}),
      [session.channel]: signIn,
    }))
    session.output.show({ base_url: baseUrl, email: user.email, profile: session.profileName }, user.email, [
      ['Signed in as', user.email],
      ['at', baseUrl],
      ['project', org && project ? `${org}/${project}` : 'choose one with nmp use ORG/PROJECT'],
      ['kept in', credentialsPath(session.environment.configFolder)],
    ])
  },
}

async function createToken(session: Session, baseUrl: string, days: number | undefined) {
  const client = session.openClient(baseUrl, await signInByDevice(session, baseUrl))
  const { token, item } = await client.users.createToken({
    body: {
      name: `nmp on ${hostname()}`.slice(0, 100),
      scopes: [...loginScopes],
      ...(days === undefined ? {} : { expires_in_days: days }),
    },
  })
  // The session has done its work; what stays is a token that can be seen and revoked in the console.
  await client.users.signOut().catch(() => {})
  return { token, tokenId: item.id }
}

async function changeProfile(session: Session, change: (profile: Profile) => Profile): Promise<Profile> {
  const { profiles } = await session.readCredentials()
  const profile = change(profiles[session.profileName] ?? {})
  await writeCredentials(session.environment.configFolder, {
    profiles: { ...profiles, [session.profileName]: profile },
  })
  return profile
}

const logout: Command = {
  name: ['logout'],
  about: 'Remove the stored token of this profile and channel.',
  async run(session) {
    const held = (await session.readCredentials()).profiles[session.profileName]?.[session.channel]
    if (!held) throw new CommandError(`The profile ${session.profileName} is not signed in.`, exitCodes.credential)
    await changeProfile(session, ({ [session.channel]: _gone, ...rest }) => rest)
    const record = { base_url: held.base_url, profile: session.profileName, channel: session.channel, signed_in: false }
    if (session.output.json) session.output.show(record, session.profileName, [])
    session.output.say(`Removed the token for ${held.base_url}.`)
    session.output.note(`The token stays valid until it expires; revoke it at ${held.base_url}/settings/tokens.`)
  },
}

const whoami: Command = {
  name: ['whoami'],
  about: 'Show your account, the service and the project that commands use.',
  async run(session) {
    const baseUrl = await session.getBaseUrl()
    const { user } = await (await session.getClient()).users.getCurrentUser()
    const place = await session.getPlace().catch(() => undefined)
    const record = { base_url: baseUrl, channel: session.channel, profile: session.profileName, ...user, ...place }
    session.output.show(record, user.email, [
      ['E-mail', user.email],
      ['Address', baseUrl],
      ['Channel', session.channel],
      ['Profile', session.profileName],
      ['Project', place ? `${place.org_slug}/${place.project_slug}` : 'none: choose one with --org and --project'],
      ['Projects', user.projects.map((one) => `${one.org_slug}/${one.project_slug} (${one.role})`)],
    ])
  },
}

const use: Command = {
  name: ['use'],
  words: ['ORG/PROJECT'],
  about: 'Set the default project of this profile.',
  async run(session, { words }) {
    const [org, project, rest] = (words[0] ?? '').split('/')
    if (!org || !project || rest !== undefined) throw usageError('Write the project as ORG/PROJECT.')
    const { item } = await (await session.getClient()).projects.getProject({ org_slug: org, project_slug: project })
    await changeProfile(session, (profile) => ({ ...profile, org, project }))
    const record = { org_slug: org, project_slug: project, role: item.role, profile: session.profileName }
    if (session.output.json) session.output.show(record, `${org}/${project}`, [])
    session.output.say(`Commands now use ${org}/${project} (your role: ${item.role}).`)
  },
}

const tokens: Command = {
  name: ['tokens', 'ls'],
  about: 'List your personal access tokens; needs a session.',
  options: signInOption,
  async run(session, { flag }) {
    const items = await asPerson(session, flag('sign-in'), (client) => takeAll(client.users.iterateTokens()))
    session.output.list(
      items,
      {
        id: ({ id }) => id,
        name: ({ name }) => name,
        token: ({ preview }) => preview,
        scopes: ({ scopes }) => scopes,
        expires: ({ expires_at: at }) => at.slice(0, 10),
        'last used': ({ last_used_at: at }) => at?.slice(0, 10) ?? 'never',
        'made by': ({ origin }) => (origin ? `${origin.program.replace('_', ' ')} at ${origin.address}` : 'unknown'),
        state: ({ revoked_at: at }) => (at ? 'revoked' : 'live'),
      },
      ({ id }) => id,
    )
  },
}

const env: Command = {
  name: ['env'],
  about: 'Print settings that let huggingface_hub and lerobot read from nmp: eval "$(nmp env)".',
  async run(session) {
    const { environment, channel, profileName, output } = session
    const baseUrl = await session.getBaseUrl()
    const held = (await session.readCredentials()).profiles[profileName]?.[channel]
    const token = environment.token ?? (held?.base_url === baseUrl ? held.token : undefined)
    if (output.json) return output.print(JSON.stringify({ HF_ENDPOINT: `${baseUrl}/hf`, HF_TOKEN: token ?? null }))
    output.print(`export HF_ENDPOINT=${quote(`${baseUrl}/hf`)}`)
    if (token) output.print(`export HF_TOKEN=${quote(token)}`)
    else output.note('Not signed in, so HF_TOKEN is not set: only public datasets can be read.')
  },
}

const quote = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`

export const accountCommands = [login, logout, whoami, use, tokens, env]
