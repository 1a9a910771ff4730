import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import type { ConsistencyStatus } from '../jobs/tables.ts'
import { checkOwner, isTooMuch } from '../storage/care/check.ts'
import type { BlobFinding, CheckLevel } from '../storage/care/inspect.ts'
import * as repository from './repository.ts'
import type { StoredFinding } from './tables.ts'

export type CheckContext = Pick<Context, 'db' | 'storage' | 'log'>

export interface RoundOptions {
  level: CheckLevel
  /** All of them, or those whose last check is this many days old. */
  dueDays?: number
  /** Or those that need one of these contents. */
  needing?: readonly string[]
  /** No import is begun after this long. */
  budgetSeconds?: number
  /** A fault counts when it is seen twice, this far apart. */
  secondLookSeconds?: number
  signal?: AbortSignal
}

export interface Round {
  examined: number
  /** What was found wrong, and so written down. */
  faulty: { id: string; status: ConsistencyStatus; findings: StoredFinding[] }[]
  /** Looked wrong once and well the second time, or could not be looked at. */
  unsureCount: number
  /** Too much was wrong to be believed: the round ended and accused nobody. */
  isStopped: boolean
}

const pageSize = 100
const mostImports = 10_000
const errorsInARow = 3
const mostStoredFindings = 50

/**
 * Looks at what succeeded imports stored, and writes what it found on their jobs. A first look at all; a second, a minute later, at those
 * that seemed wrong; only what was seen twice is said. When the store is not the one this database knows (unmounted, another bucket) the
 * round throws and nobody is accused; nor when a hundred, or one in a hundred, seem wrong at once. What is bad is quarantined.
 */
export async function checkImports(context: CheckContext, options: RoundOptions): Promise<Round> {
  const round: Round = { examined: 0, faulty: [], unsureCount: 0, isStopped: false }
  const deadline = Date.now() + (options.budgetSeconds ?? Number.POSITIVE_INFINITY) * 1000
  const suspects: repository.CheckedImport[] = []
  for await (const one of listImports(context, options)) {
    if (Date.now() > deadline) break
    const seen = await lookAt(context, one, options)
    round.examined += 1
    if (seen.status === 'ok' || seen.status === 'orphaned') await record(context, one, seen, options, round)
    else suspects.push(one)
    round.isStopped = isTooMuch(suspects.length, round.examined)
    if (round.isStopped) return stop(context, round, suspects.length)
  }
  if (suspects.length === 0) return round
  const { secondLookSeconds = 60, signal } = options
  await sleep(secondLookSeconds * 1000, undefined, signal ? { signal } : {})
  for (const one of suspects) await record(context, one, await lookAt(context, one, options), options, round)
  return round
}

/** After contents went bad, or were healed: what needs them says so at once. */
export async function checkImportsOf(context: CheckContext, hashes: readonly string[]): Promise<void> {
  if (hashes.length > 0) await checkImports(context, { level: 'presence', needing: hashes, secondLookSeconds: 0 })
}

async function* listImports({ db }: CheckContext, { needing, dueDays, signal }: RoundOptions) {
  if (needing) return yield* await repository.listImportsOf(db, needing, mostImports)
  // Each look moves an import to the end of the line, so a page is read once.
  if (dueDays !== undefined) return yield* await repository.listDueImports(db, { days: dueDays, limit: mostImports })
  for (let after = ''; ; ) {
    signal?.throwIfAborted()
    const page = await repository.listImportsAfter(db, after, pageSize)
    yield* page
    const last = page.at(-1)
    if (page.length < pageSize || !last) return
    after = last.id
  }
}

function stop({ log }: CheckContext, round: Round, suspectCount: number): Round {
  log.error(
    { examined: round.examined, suspects: suspectCount },
    'the check of stored results was stopped: too much seems wrong at once. Check the storage first; no import was marked.',
  )
  return round
}

interface Seen {
  status: ConsistencyStatus
  findings: StoredFinding[]
  /** Contents that are bad, and keys of those that were and are well again. */
  damage: BlobFinding[]
  soundKeys: string[]
}

/** One look at everything an import stored. Throws when the store itself is not there. */
async function lookAt(
  { db, storage }: CheckContext,
  { id, orgId, revisionId, hasRevision }: repository.CheckedImport,
  { level, signal }: RoundOptions,
): Promise<Seen> {
  if (!revisionId || !hasRevision) return { status: 'orphaned', findings: [], damage: [], soundKeys: [] }
  const owners = [
    { kind: 'import', id, orgId },
    { kind: 'revision', id: revisionId, orgId },
  ]
  const findings: StoredFinding[] = []
  const damage: BlobFinding[] = []
  const soundKeys: string[] = []
  const statuses = new Set<ConsistencyStatus>()
  for (const owner of owners) {
    const check = await checkOwner(db, storage, owner, { level, secondLookSeconds: 0, ...(signal ? { signal } : {}) })
    // What succeeded has files; an owner without any has lost its rows.
    statuses.add(owner.kind === 'revision' && check.examined === 0 ? 'missing_artifact' : check.status)
    damage.push(...check.findings)
    soundKeys.push(...check.soundKeys)
    for (const { logicalPaths, fault, sentence } of check.findings)
      findings.push({ path: logicalPaths[0] ?? '', fault, sentence })
  }
  const worst = severity.find((status) => statuses.has(status)) ?? 'ok'
  return { status: worst, findings: findings.slice(0, mostStoredFindings), damage, soundKeys }
}

const severity = ['checksum_mismatch', 'missing_artifact', 'error'] as const

async function record(
  { db, storage, log }: CheckContext,
  one: repository.CheckedImport,
  { status, findings, damage, soundKeys }: Seen,
  { level }: RoundOptions,
  round: Round,
): Promise<void> {
  for (const key of soundKeys) await storage.release(key)
  for (const finding of damage) await storage.quarantine(finding)
  const isUnsure = status === 'error'
  const errorCount = isUnsure ? await repository.countErrors(db, one.id) : 0
  const said = isUnsure && errorCount + 1 < errorsInARow ? undefined : status
  const error = describe(status, findings)
  const isKept = await inTransaction(db, (trx) =>
    repository.recordVerdict(trx, one, {
      status: said,
      error,
      findings,
      wasRead: level === 'content' && status === 'ok',
    }),
  )
  if (!isKept || status === 'ok' || status === 'orphaned') return
  if (isUnsure) round.unsureCount += 1
  if (said) round.faulty.push({ id: one.id, status: said, findings })
  if (said && said !== one.status)
    log.error({ importId: one.id, status: said, error }, 'a stored result is not what it was')
}

const describe = (status: ConsistencyStatus, findings: readonly StoredFinding[]): string | null => {
  if (status === 'ok') return null
  if (status === 'orphaned') return 'The dataset that this import made was deleted, or has lost this revision.'
  const [first] = findings
  if (!first) return 'There is no record of any stored file of this import.'
  const more = findings.length > 1 ? ` And ${findings.length - 1} more.` : ''
  return `${first.path}: ${first.sentence}${more}`
}
