import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@nmp/sdk/client'
import { makeFolder } from '../../../../e2e/program.ts'
import { listFaults } from './faults.ts'
import type { Fleet } from './fleet.ts'
import { describeSeen, type Seen } from './seen.ts'
import { countCommits, readPushed, startUse, type Use } from './use.ts'

/** So long a fleet is left in peace between two faults, for what was under way to end. */
const calmMs = 15_000
const pauseSeconds = 60

interface TrialOptions {
  /** Of cuts and pauses, which last a minute. */
  scale: number
  isChosen: (what: string) => boolean
}

/**
 * A fleet under constant use, and every fault that a data centre has for it: nothing that was acknowledged may be lost or doubled, every
 * export must have its bytes, and what a client reports as failed after its own retries is counted.
 */
export async function tryFleet(fleet: Fleet, { scale, isChosen }: TrialOptions) {
  const began = Date.now()
  await fleet.admin('user', 'add', 'ada@example.org')
  const session = await fleet.admin('session', 'ada@example.org', '--minutes', '600')
  const token = await createToken(fleet, session)
  const use = await startUse({ url: fleet.url, token, session, folder: await makeFolder() })
  await sleep(calmMs)
  const seen: Seen[] = [describeSeen('nothing, for comparison', use, began, Date.now())]
  try {
    for (const { what, happen } of listFaults(pauseSeconds * scale).filter(({ what }) => isChosen(what))) {
      const at = Date.now()
      await happen(fleet)
      await sleep(calmMs)
      const row = describeSeen(what, use, at, Date.now())
      seen.push(row)
      console.log(JSON.stringify(row))
    }
  } catch (error) {
    // Nobody waits for people who use what is no longer there.
    use.stop().catch(() => undefined)
    throw error
  }
  await use.stop()
  const faults = await inspect(fleet, token, use)
  for (const sentence of faults) console.log(sentence)
  const failed = use.deeds.filter((deed) => deed.failed !== undefined)
  const kinds = [...new Set(use.deeds.map(({ kind }) => kind))]
  return {
    passed: failed.length === 0 && faults.length === 0,
    seconds: Math.round((Date.now() - began) / 1000),
    done: Object.fromEntries(kinds.map((kind) => [kind, use.deeds.filter((deed) => deed.kind === kind).length])),
    failed,
    faults,
    events: { received: use.events.ids.length, opened: use.events.opened, ended: use.events.ended },
    seen,
  }
}

async function createToken(fleet: Fleet, session: string): Promise<string> {
  const { token } = await createClient({ baseUrl: fleet.url, token: session }).users.createToken({
    body: {
      name: 'fleet',
      scopes: ['workspace:read', 'imports:write', 'versions:write', 'datasets:write', 'exports:write'],
    },
  })
  return token
}

/** What must be there once is there once, and right. */
async function inspect(fleet: Fleet, token: string, use: Use): Promise<string[]> {
  const faults: string[] = []
  const client = createClient({ baseUrl: fleet.url, token })
  const place = { org_slug: 'ada', project_slug: 'default' }
  const slugs: string[] = []
  for await (const { status, dataset_slug: slug } of client.imports.iterateImports({ ...place, limit: 100 })) {
    if (status !== 'succeeded') faults.push(`import of ${slug}: ${status}`)
    slugs.push(slug)
  }
  for (const { slug } of use.imports) {
    const count = slugs.filter((one) => one === slug).length
    if (count !== 1) faults.push(`${slug} was imported ${count} times`)
    if (![...use.events.finished].some((data) => data.includes(`"${slug}"`)) && slug !== 'source')
      faults.push(`no event said that ${slug} was imported`)
  }
  if (slugs.length !== use.imports.length) faults.push(`${slugs.length} imports instead of ${use.imports.length}`)
  for (const { versionId, sha256 } of use.exports) {
    if (sha256 !== use.expectedSha256) faults.push(`the export of ${versionId} has other bytes: ${sha256}`)
    const { items } = await client.exports.listExportJobs({ org_slug: 'ada', version_id: versionId })
    if (items.length !== 1) faults.push(`${versionId} was exported ${items.length} times`)
  }
  for (const file of use.pushes)
    await readPushed(fleet.url, token, file).catch((error: Error) => faults.push(`pushed and lost: ${error.message}`))
  const commits = await countCommits(fleet.url, token)
  if (commits !== use.pushes.length) faults.push(`${commits} commits of ${use.pushes.length} pushes`)
  const early = use.events.ids.filter((id, index, ids) => Number(id) <= Number(ids[index - 1] ?? 0))
  if (early.length > 0) faults.push(`${early.length} events have no later id than the one before`)
  await fleet.admin('check', '--deep').catch((error: Error) => faults.push(error.message))
  return faults
}
