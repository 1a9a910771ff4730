import { resolve } from 'node:path'
import { logLevels } from './log.ts'

/** A setting: how it is read, what stands when it is absent, and the sentence for the operator's table in docs/operating.md. */
interface Setting<T> {
  read(raw: string): T
  fallback: T
  shown: string
  about: string
}

const setting = <T>(read: (raw: string) => T, fallback: NoInfer<T>, shown: string, about: string): Setting<T> => ({
  read,
  fallback,
  shown,
  about,
})

const text = (raw: string): string => raw
const path = (raw: string): string => resolve(raw)
const list = (raw: string): string[] =>
  raw
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const whole =
  (min: number, max: number) =>
  (raw: string): number => {
    const value = Number(raw)
    if (!Number.isInteger(value) || value < min || value > max)
      throw new Error(`a whole number from ${min} to ${max} expected`)
    return value
  }

const flag = (raw: string): boolean => {
  if (/^(1|true|yes|on)$/i.test(raw)) return true
  if (/^(0|false|no|off)$/i.test(raw)) return false
  throw new Error('1 or 0 expected')
}

const choice =
  <const T extends readonly string[]>(values: T) =>
  (raw: string): T[number] => {
    const found = values.find((value) => value === raw)
    if (found === undefined) throw new Error(`one of ${values.join(', ')} expected`)
    return found
  }

const url =
  (...protocols: string[]) =>
  (raw: string): string => {
    const parsed = URL.parse(raw)
    if (!parsed || !protocols.includes(parsed.protocol))
      throw new Error(`an address starting with ${protocols.join(' or ')} expected`)
    return raw.replace(/\/+$/, '')
  }

const demo = (raw: string): 'all' | 'account' | 'none' => {
  if (raw === 'account') return 'account'
  try {
    return flag(raw) ? 'all' : 'none'
  } catch {
    throw new Error('1, account or 0 expected')
  }
}

/** How many proxies stand before this process, or their addresses. */
const proxies = (raw: string): number | string[] => (/^\d+$/.test(raw) ? whole(0, 16)(raw) : list(raw))

/** An address that links are made from: the pages stand at its root. */
const origin = (raw: string): string => {
  const address = url('http:', 'https:')(raw)
  if (new URL(address).origin !== address) throw new Error('an address without a path expected')
  return address
}

/** Hosts with their ports, as they stand in an address: `mirror.lan:8080`, `[::1]:9000`. */
const hostPorts = (raw: string): string[] =>
  list(raw).map((entry) => {
    const parsed = /:\d+$/.test(entry) ? URL.parse(`http://${entry}/`) : null
    if (parsed?.username !== '' || parsed.pathname !== '/') throw new Error('host:port expected, separated by commas')
    return `${parsed.hostname}:${parsed.port || '80'}`
  })

const none = undefined
const optional = <T>(read: (raw: string) => T, about: string): Setting<T | undefined> =>
  setting<T | undefined>(read, none, 'none', about)

export const settings = {
  NMP_ROLE: setting(
    choice(['all', 'api', 'worker']),
    'all',
    'all',
    'What this program does: serve the API, run jobs, or both.',
  ),
  NMP_WORKER_PROCESSES: setting(
    whole(0, 64),
    1,
    '1',
    'With NMP_ROLE=all: processes beside that of the API which run the jobs, each started again when it dies. 0: jobs run in the process of the API.',
  ),
  NMP_HOST: setting(text, '127.0.0.1', '127.0.0.1', 'Address to listen on.'),
  NMP_PORT: setting(whole(0, 65535), 8080, '8080', 'Port to listen on; 0 picks a free one.'),
  NMP_PUBLIC_URL: optional(origin, 'Address that people and links use. Default: the address listened on.'),
  NMP_DATA_DIR: setting(path, resolve('.nmp'), '.nmp', 'Folder for the embedded database, objects and mails.'),
  NMP_DATABASE_URL: optional(url('postgres:', 'postgresql:'), 'A PostgreSQL >= 15 to use instead of the embedded one.'),
  NMP_DATABASE_DIRECT_URL: optional(
    url('postgres:', 'postgresql:'),
    'PostgreSQL itself, where NMP_DATABASE_URL is a pooler that lends connections by the transaction, such as PgBouncer: migrations and live events go there.',
  ),
  NMP_DATABASE_POOL: setting(
    whole(2, 1000),
    10,
    '10',
    'Most connections of one process to NMP_DATABASE_URL. An API has up to 4 more for large requests, and each process one to three that listen.',
  ),
  NMP_DATABASE_REPLICA_URL: optional(
    url('postgres:', 'postgresql:'),
    'A streaming replica of NMP_DATABASE_URL that searches and counts the public catalog. One that is not there, or more than 30 s behind, is not asked.',
  ),
  NMP_SECRET_KEY: optional(
    text,
    'Key that the secrets in the database are encrypted with, 32 characters or more; every process of one database needs the same. Default: `secret.key` in the data folder, made at the first start.',
  ),
  NMP_SECRET_KEY_NEXT: optional(
    text,
    'The key that `admin secrets rotate` takes in the place of NMP_SECRET_KEY, where that is set.',
  ),
  NMP_POSTGRES_BIN: optional(path, 'Folder with `postgres` and `initdb` to embed instead of the ones from npm.'),
  NMP_BACKUP_DIR: optional(
    path,
    'Folder on another disk that everything is backed up to, all the time: any minute of it can be restored. For the embedded PostgreSQL.',
  ),
  NMP_BACKUP_KEY_FILE: optional(
    path,
    'Key that backups are encrypted with, made by `admin backup-key FILE`. Keep a copy of it elsewhere.',
  ),
  NMP_BACKUP_SECONDS: setting(
    whole(1, 86_400),
    60,
    '60',
    'How often what is new goes to NMP_BACKUP_DIR: at most this much is lost with the machine.',
  ),
  NMP_BACKUP_BASE_HOURS: setting(
    whole(1, 8_760),
    24,
    '24',
    'How often NMP_BACKUP_DIR gets a new copy of the whole database: a restore plays back at most this much.',
  ),
  NMP_BACKUP_KEEP_DAYS: setting(
    whole(1, 36_500),
    14,
    '14',
    'How far back NMP_BACKUP_DIR can be restored; what only older times need is removed.',
  ),
  NMP_OIDC_ISSUER: optional(
    url('http:', 'https:'),
    'OpenID Connect issuer that signs people in. Default: the embedded one.',
  ),
  NMP_OIDC_AUDIENCE: setting(text, 'urn:nmp:api', 'urn:nmp:api', 'Audience a session token must carry.'),
  NMP_OIDC_CLIENT_ID: setting(text, 'nmp-console', 'nmp-console', 'Client id the console signs in with.'),
  NMP_OIDC_MFA_ACR: setting(
    list,
    ['phr', 'phrh', 'https://refeds.org/profile/mfa', 'http://schemas.openid.net/pape/policies/2007/06/multi-factor'],
    'phr, phrh, and the names of REFEDS and PAPE',
    'Values of `acr`, separated by commas, by which an external issuer says that somebody has proven themselves by more than a password; `mfa` in `amr` says so always.',
  ),
  NMP_ADMIN_SESSIONS: setting(flag, true, '1', 'Accept sessions made by `admin session` beside an external issuer.'),
  NMP_SMTP_URL: optional(
    url('smtp:', 'smtps:'),
    'Mail server. Without it, each mail is written as a file to the data folder.',
  ),
  NMP_MAIL_FROM: setting(text, 'nmp <nmp@localhost>', 'nmp <nmp@localhost>', 'Sender of mails.'),
  NMP_CHANNEL: setting(
    choice(['stable', 'dev']),
    'stable',
    'stable',
    'Channel that the version route and the console name.',
  ),
  NMP_DEMO: setting(
    demo,
    'all',
    '1',
    'On an empty database, create the first account and a simulated dataset to try things on. `account`: the account only. 0: neither.',
  ),
  NMP_TRUST_PROXY: setting(
    proxies,
    0,
    '0',
    'Reverse proxies in front of this process: their number, or their addresses separated by commas.',
  ),
  NMP_CORS_ORIGINS: setting(
    list,
    [],
    'none',
    'Origins, separated by commas, whose pages may call the API from a browser.',
  ),
  NMP_RATE_LIMIT: setting(
    whole(0, 1_000_000),
    120,
    '120',
    'Requests per second and credential or address; 0 turns the limit off.',
  ),
  NMP_LOG_LEVEL: setting(
    choice(logLevels),
    'warn',
    'warn',
    'Least severe event to log, as JSON lines on standard error.',
  ),
  NMP_COMMIT: optional(text, 'Commit the program was built from, for the version route. Default: read from git.'),
  NMP_S3_BUCKET: optional(text, 'S3 bucket for objects instead of the local folder.'),
  NMP_S3_ENDPOINT: optional(url('http:', 'https:'), 'S3 endpoint, for servers other than AWS.'),
  NMP_S3_PUBLIC_ENDPOINT: optional(
    url('http:', 'https:'),
    'Address at which browsers and clients reach the bucket: downloads and videos then go there by signed links, and not through the API. Default: through the API.',
  ),
  NMP_S3_REGION: setting(text, 'us-east-1', 'us-east-1', 'S3 region.'),
  NMP_S3_PREFIX: setting(text, '', 'none', 'Prefix of all keys in the bucket.'),
  NMP_S3_ACCESS_KEY_ID: optional(text, "S3 access key. Default: the AWS SDK's usual places."),
  NMP_S3_SECRET_ACCESS_KEY: optional(text, 'S3 secret key.'),
  NMP_S3_FORCE_PATH_STYLE: setting(
    flag,
    true,
    '1',
    'Address the bucket in the path, as most S3 servers other than AWS want.',
  ),
  NMP_HF_ENDPOINT: setting(
    url('http:', 'https:'),
    'https://huggingface.co',
    'https://huggingface.co',
    'Hugging Face Hub, or a compatible mirror, to import repositories from.',
  ),
  NMP_SOURCE_ALLOW: setting(
    hostPorts,
    [],
    'none',
    'Sources (host:port, separated by commas) that may use plain http or a private address, such as your own mirror.',
  ),
  NMP_SOURCE_MAX_BYTES: setting(
    whole(1, Number.MAX_SAFE_INTEGER),
    200 * 2 ** 30,
    '214748364800',
    'Largest source of one import, as downloaded and as unpacked.',
  ),
  NMP_MAX_UPLOAD_BYTES: setting(
    whole(1, 5 * 2 ** 40),
    200 * 2 ** 30,
    '214748364800',
    'Largest file that may be uploaded: 200 GiB unless set.',
  ),
  NMP_ORG_QUOTA_BYTES: setting(
    whole(0, Number.MAX_SAFE_INTEGER),
    0,
    '0',
    'Storage limit of one organization, each content counted once; uploads above it are refused. 0: no limit.',
  ),
  NMP_PERSON_QUOTA_BYTES: setting<number | undefined>(
    whole(0, Number.MAX_SAFE_INTEGER),
    none,
    'as NMP_ORG_QUOTA_BYTES',
    'Storage limit of all organizations together that one person has made, each counted by itself. 0: no limit. Those that the operator makes count for nobody.',
  ),
  NMP_PERSON_ORGS: setting(whole(1, 100_000), 20, '20', 'Organizations that one person may make, their own included.'),
  NMP_MAILS_PER_HOUR: setting(
    whole(0, 1_000_000),
    30,
    '30',
    'Mails that one person may cause to others in an hour, such as invites; an organization twice as many; 10 to one address. 0: no limit.',
  ),
  NMP_DISK_RESERVE_BYTES: setting(
    whole(0, Number.MAX_SAFE_INTEGER),
    1024 ** 3,
    '1073741824',
    'What is kept free on the disk of the data folder, at most a tenth of it: what would take it is refused with 507 `disk_full`, while reading goes on. 0: nothing.',
  ),
  NMP_CHECK_PERIOD_DAYS: setting(
    whole(1, 3650),
    30,
    '30',
    'Every stored content is read and compared with its sha256 at least once in this many days; how far that is, `/api/v1/status` says.',
  ),
  NMP_READER_SECONDS: setting(
    whole(1, 86_400),
    30,
    '30',
    'A client that takes nothing of its answer for this long is disconnected.',
  ),
  NMP_BODY_MEMORY_BYTES: setting(
    whole(0, Number.MAX_SAFE_INTEGER),
    64 * 2 ** 20,
    '67108864',
    'Memory for the bodies of requests that are still arriving, in all; the rest waits in files in the data folder.',
  ),
  NMP_ANSWER_MEMORY_BYTES: setting(
    whole(0, Number.MAX_SAFE_INTEGER),
    64 * 2 ** 20,
    '67108864',
    'Memory for large answers that wait for who reads them, and as much again for files on their way, in all; beyond it answers wait in files in the data folder, and files are sent in smaller pieces.',
  ),
  NMP_MEDIA_PROCESSES: setting(
    whole(1, 32),
    2,
    '2',
    'Maximum number of processes that decode video for posters and clips, per API process.',
  ),
  NMP_KEEP_RAW: setting(flag, true, '1', 'Keep the source files of an import with its dataset.'),
  NMP_HDF5_MAX_BYTES: setting(
    whole(1, Number.MAX_SAFE_INTEGER),
    68_719_476_736,
    '68719476736',
    'Largest HDF5 source of one import, all its files together.',
  ),
  NMP_CHECK_PICTURES_MAX_BYTES: setting(
    whole(0, Number.MAX_SAFE_INTEGER),
    5 * 2 ** 30,
    '5368709120',
    'Size of the dataset up to which the pictures of an import are checked by themselves, in a job of their own; 0: only when somebody asks for it.',
  ),
  NMP_IMPORT_CPU_SECONDS: setting(
    whole(1, 1_000_000),
    300,
    '300',
    'Processor seconds that reading a source may take, on top of 30 for each of its megabytes.',
  ),
  NMP_SANDBOX: setting(
    choice(['auto', 'require']),
    'auto',
    'auto',
    'The sandbox of processes that read foreign files: `auto` takes what the system offers and logs at the start what it lacks; with `require` the program does not start unless it is whole.',
  ),
  NMP_JOB_CONCURRENCY: setting(whole(1, 256), 2, '2', 'Jobs that one worker process runs at a time.'),
  NMP_READ_MODEL_CACHE_BYTES: setting(
    whole(1_048_576, Number.MAX_SAFE_INTEGER),
    536_870_912,
    '536870912',
    'Memory for the datasets that the catalog has open; about 90 bytes per episode.',
  ),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
type Value<N extends SettingName> = (typeof settings)[N]['fallback']
export type Config = Readonly<{ [N in SettingName]: Value<N> }>

type Environment = Record<string, string | undefined>

/** Reads every setting and reports all problems at once. */
export function loadConfig(env: Environment = process.env): Config {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, { read, fallback }] of Object.entries<Setting<unknown>>(settings)) {
    const raw = env[name]
    try {
      config[name] = raw === undefined || raw === '' ? fallback : read(raw)
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : error}, got ${JSON.stringify(raw)}`)
    }
  }
  if (problems.length > 0)
    throw new Error(`Some settings are invalid:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  return Object.freeze(config) as Config
}

/** NMP_ names that no setting reads: most likely typing errors, worth a line at the start. */
export const listUnknownSettings = (env: Environment = process.env): string[] =>
  Object.keys(env).filter((name) => name.startsWith('NMP_') && !(name in settings) && !ambient.test(name))

/** Read by the tests and the contract check, not by the program. */
const ambient = /^NMP_(TEST_.*|FIXTURES|CACHE_DIR|TAR)$/

export const programVersion = '0.1.0'
