import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { checkout, cleanUp } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { writeToPage } from './docs-page.ts'
import { openFleet } from './fleet/fleet.ts'
import { openProcesses } from './fleet/processes/process-machines.ts'
import { renderTable } from './fleet/seen.ts'
import { tryFleet } from './fleet/trial.ts'
import type { CampaignOptions } from './options.ts'

/**
 * A fleet of processes on this machine under constant use (uploads, imports, exports, pushes and reads at the Hub door, event streams), and
 * every fault for it. Needs root, Debian's haproxy and postgresql, and NMP_GATEWAY, the versitygw of `.ci/s3`:
 * `.ci/s3 true && NMP_GATEWAY=$NMP_CACHE_DIR/versitygw-v1.8.0 npm run campaign -- fleet`. `--only PATTERN` has some of the faults,
 * `--scale 0.5` cuts and pauses of half a minute. `npm run campaign -- servers` does the same to containers.
 */
export const campaignFleet = async ({ seed, scale, only }: CampaignOptions): Promise<boolean> => {
  const gateway = process.env.NMP_GATEWAY
  if (!gateway) throw new Error('NMP_GATEWAY must name the program versitygw, which .ci/s3 builds.')
  execFileSync('/usr/sbin/haproxy', ['-c', '-f', join(checkout, 'deploy/haproxy.cfg')], {
    env: { NMP_LISTEN: '127.0.0.1:1', NMP_API_1: '127.0.0.1:2', NMP_API_2: '127.0.0.1:3' },
  })
  const machines = await openProcesses(gateway)
  try {
    const fleet = await openFleet(machines)
    console.log(`the fleet is ready; its logs are in ${fleet.folder}`)
    const trial = await tryFleet(fleet, { scale, isChosen: (what) => !only || new RegExp(only).test(what) })
    await writeResult({ campaign: only ? 'fleet-some' : 'fleet', seed, scale, ...describeMachine(), ...trial })
    if (!only) await writeToPage('operating.md', 'fleet', renderTable(trial.seen))
    console.log(trial.passed ? 'passed' : 'FAILED')
    return trial.passed
  } finally {
    await machines.close()
    await cleanUp()
  }
}
