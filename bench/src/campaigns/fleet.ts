import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@nmp/sdk/client'
import { checkout, cleanUp, makeFolder } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { writeToPage } from './docs-page.ts'
import { listFaults } from './fleet/faults.ts'
import { type Fleet, openFleet } from './fleet/fleet.ts'
import { describeSeen, renderTable, type Seen } from './fleet/seen.ts'
import { countCommits, readPushed, startUse, type Use } from './fleet/use.ts'
import type { CampaignOptions } from './options.ts'

/** So long a fleet is left in peace between two faults, for what was under way to end. */
const calmMs = 15_000
const pauseSeconds = 60

/**
 * A fleet under constant use (uploads, imports, exports, pushes and reads at the Hub door, event streams), and every fault that a data
 * centre has for it. Nothing that was acknowledged may be lost or doubled, every export must have its bytes, and what a client reports as
 * failed after its own retries is counted. Needs root, Debian's haproxy and postgresql, and NMP_GATEWAY, the versitygw of `.ci/s3`:
 * `.ci/s3 true && NMP_GATEWAY=$NMP_CACHE_DIR/versitygw-v1.8.0 npm run campaign -- fleet`. `--only PATTERN` has some of the faults,
 * `--scale 0.5` cuts and pauses of half a minute.
 */
export const campaignFleet = async ({ seed, scale, only }: CampaignOptions): Promise<boolean> => {
  const gateway = process.env.NMP_GATEWAY
  if (!gateway) throw new Error('NMP_GATEWAY must name the program versitygw, which .ci/s3 builds.')
  execFileSync('/usr/sbin/haproxy', ['-c', '-f', join(checkout, 'deploy/haproxy.cfg')], {
    env: { NMP_LISTEN: '127.0.0.1:1', NMP_API_1: '127.0.0.1:2', NMP_API_2: '127.0.0.1:3' },
  })
  const began = Date.now()
  const fleet = await openFleet(gateway)
  console.log(`the fleet is ready after ${seconds(Date.now() - began)}; its logs are in ${fleet.folder}`)
  try {
    await fleet.admin('user', 'add', 'ada@example.org')
    const session = await fleet.admin('session', 'ada@example.org', '--minutes', '600')
    const token = await createToken(fleet, session)
    const use = await startUse({ url: fleet.url, token, session, folder: await makeFolder() })
    await sleep(calmMs)
    const seen: Seen[] = [describeSeen('nothing, for comparison', use, began, Date.now())]
    const chosen = listFaults(pauseSeconds * scale).filter(({ what }) => !only || new RegExp(only).test(what))
    for (const { what, happen } of chosen) {
      const at = Date.now()
      await happen(fleet)
      await sleep(calmMs)
      const row = describeSeen(what, use, at, Date.now())
      seen.push(row)
      console.log(JSON.stringify(row))
    }
    await use.stop()
    const faults = await inspect(fleet, token, use)
    const failed = use.deeds.filter((deed) => deed.failed !== undefined)
    const passed = failed.length === 0 && faults.length === 0
    for (const sentence of faults) console.log(sentence)
    const kinds = [...new Set(use.deeds.map(({ kind }) => kind))]
    const result = {
      campaign: only ? 'fleet-some' : 'fleet',
      passed,
      seed,
      scale,
      ...describeMachine(),
      seconds: Math.round((Date.now() - began) / 1000),
      done: Object.fromEntries(kinds.map((kind) => [kind, use.deeds.filter((deed) => deed.kind === kind).length])),
      failed,
      faults,
      events: { received: use.events.ids.length, opened: use.events.opened, ended: use.events.ended },
      seen,
    }
    await writeResult(result)
    if (!only) await writeToPage('operating.md', 'fleet', renderTable(seen))
    console.log(passed ? 'passed' : 'FAILED')
    return passed
  } finally {
    await fleet.close()
    await cleanUp()
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

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
  const doubled = use.events.ids.length - new Set(use.events.ids).size
  if (doubled > 0) faults.push(`${doubled} events came twice`)
  await fleet.admin('check', '--deep').catch((error: Error) => faults.push(error.message))
  return faults
}
