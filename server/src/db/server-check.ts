import type pg from 'pg'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'

const oldestVersion = 15
/** Sessions, signed links and leases are compared with both clocks. */
const mostClockSeconds = 300

interface SeenServer {
  /** As PostgreSQL numbers itself: 150004 is 15.4. */
  versionNumber: number
  /** By its clock, in seconds since 1970, and by ours at that moment. */
  clockSeconds: number
  ownSeconds: number
}

/** Refuses a database that the program cannot work with, before anything of it is changed. */
export async function checkServer(pool: pg.Pool, address: string | undefined): Promise<void> {
  const begun = Date.now()
  const { rows } = await pool
    .query(
      `select current_setting('server_version_num')::integer as version, extract(epoch from clock_timestamp())::float8 as clock`,
    )
    .catch((error) => {
      throw new Error(describeUnreachable(error, address), { cause: error })
    })
  const [{ version, clock }] = rows as [{ version: number; clock: number }]
  const fault = findServerFault({
    versionNumber: version,
    clockSeconds: clock,
    ownSeconds: (begun + Date.now()) / 2000,
  })
  if (fault) throw new Error(fault)
}

export function findServerFault({ versionNumber, clockSeconds, ownSeconds }: SeenServer): string | undefined {
  const major = Math.floor(versionNumber / 10_000)
  if (major < oldestVersion)
    return `The database is PostgreSQL ${major}, and nmp needs ${oldestVersion} or newer: upgrade it, or set NMP_DATABASE_URL to another one.`
  const apart = Math.round(ownSeconds - clockSeconds)
  if (Math.abs(apart) > mostClockSeconds)
    return `The clock of this machine is ${Math.abs(apart)} seconds ${apart > 0 ? 'ahead of' : 'behind'} that of the database: set both by NTP, then start again.`
  return undefined
}

/** What a session is bounded by is sent with its beginning, which a pooler does not pass on. */
export async function warnOfPooler(pool: pg.Pool, log: Log): Promise<void> {
  const { rows } = await pool.query<{ seconds: string }>(`select current_setting('statement_timeout') as seconds`)
  if (rows[0]?.seconds === '0')
    log.warn(
      {},
      'behind the pooler no statement is bounded in time: give the role of NMP_DATABASE_URL the settings in docs/operating.md',
    )
}

/** What to do about a database that cannot be asked, by what PostgreSQL or the network says. The password of the address is not repeated. */
function describeUnreachable(error: unknown, address: string | undefined): string {
  const place = address === undefined ? 'The embedded database' : `The database at ${describeAddress(address)}`
  const said = describeError(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '28P01' || code === '28000')
    return `${place} refuses this user or password: ${said}. Correct NMP_DATABASE_URL.`
  if (/unsupported startup parameter/.test(said))
    return `${place} is a pooler of connections (${said}): set NMP_DATABASE_DIRECT_URL to the address of PostgreSQL itself, beside it.`
  if (code === '3D000') return `${place} does not exist: create it with createdb, or correct NMP_DATABASE_URL.`
  return `${place} does not answer: ${said}. Check that PostgreSQL runs there and that NMP_DATABASE_URL names it.`
}

function describeAddress(address: string): string {
  const { hostname, port, pathname } = new URL(address)
  return `${hostname || 'a local socket'}${port ? `:${port}` : ''}${pathname}`
}
