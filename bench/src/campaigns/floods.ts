import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { cleanUp, type Program } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { type ArchiveRow, archiveKinds, measureArchive } from './floods/archive-flood.ts'
import type { HostileBody } from './floods/body-shapes.ts'
import { type FloodSeed, seedFloods } from './floods/flood-seed.ts'
import { measureHeldMemory } from './floods/held-memory.ts'
import { strangersKinds } from './floods/holding-clients.ts'
import { listHostileBodies } from './floods/hostile-bodies.ts'
import { listTransferBodies } from './floods/hostile-transfers.ts'
import { askReady, bar, betweenTries, describeTimes } from './floods/ready-times.ts'
import type { SenderData, SenderMessage, SenderResult } from './floods/sender-entry.ts'
import { longestTurnMs, type MeteredProgram, startMetered } from './floods/turns.ts'
import type { CampaignOptions } from './options.ts'

const fullTries = 200
const connections = 8
/** Of a flood whose answers do not come. */
const mostSeconds = 60

interface BodyRow {
  name: string
  /** Of the largest body. */
  megabytes: number
  statuses: SenderResult['statuses']
  answered: SenderResult['answered']
  median: number
  p99: number
  largest: number
  /** Of the API's loop, in milliseconds of a processor: which does not depend on how busy the machine is. */
  turn: number
  met: boolean
}

/**
 * One client floods the program as it is started by default, but for the limit of requests per second, which would spare it: with the worst
 * body of each route, with readers who never read, with senders who never finish. `--only REGEX` takes some of it by its name, before which `bodies, `,
 * `archives, ` or `memory, ` stands.
 */
export const campaignFloods = async ({ scale, only, seed: number }: CampaignOptions): Promise<boolean> => {
  const wanted = new RegExp(only ?? '')
  try {
    const program = await startMetered()
    const withStrangers = strangersKinds.some((name) => wanted.test(`memory, ${name}`))
    const seed = await seedFloods(program, withStrangers)
    // The sessions of the seed are for this address.
    const place = { dataDir: program.dataDir, env: { NMP_PORT: new URL(program.url).port } }
    const bodies: BodyRow[] = []
    const archives: ArchiveRow[] = []
    const tries = Math.max(30, Math.round(fullTries * scale))
    const alone = describeTimes(await askAgain(program, tries))
    console.log(
      `nobody floods: readyz ${alone.median} ms, 99 of 100 within ${alone.p99} ms, longest ${alone.largest} ms`,
    )
    const transfers = await listTransferBodies(program, { bearer: seed.bearer, repository: `${seed.org}/${seed.push}` })
    const hostile = [...listHostileBodies(seed), ...transfers]
    for (const body of hostile.filter(({ name }) => wanted.test(`bodies, ${name}`))) {
      await waitForTurn(program, seed)
      const row = await flood(program, body, tries)
      bodies.push(row)
      print(row)
    }
    for (const kind of archiveKinds.filter(({ name }) => wanted.test(`archives, ${name}`)))
      archives.push(await measureArchive(program, seed, kind, scale))
    await program.stop()
    const held = await measureHeldMemory(place, seed, wanted, scale)
    const passed = [...bodies, ...archives, ...held].every(({ met }) => met)
    const result = {
      campaign: 'floods',
      ...describeMachine(),
      scale,
      seed: number,
      bar,
      passed,
      alone,
      bodies,
      archives,
      held,
    }
    if (!only) await writeResult(result)
    return passed
  } finally {
    await cleanUp()
  }
}

async function askAgain(program: Program, tries: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < tries; index++) {
    times.push(await askReady(program))
    await sleep(betweenTries)
  }
  return times
}

/** How long `/readyz` takes for somebody else meanwhile. */
async function flood(program: MeteredProgram, { name, requests }: HostileBody, tries: number): Promise<BodyRow> {
  const data: SenderData = {
    requests: requests.map(({ path, ...rest }) => ({ url: program.url + path, ...rest })),
    connections,
  }
  const sender = new Worker(new URL('./floods/sender-entry.ts', import.meta.url), { workerData: data })
  await once(sender, 'online')
  await sleep(500)
  const ended = Promise.withResolvers<SenderResult>()
  let isWorked = false
  sender.on('message', (message: SenderMessage) => {
    if (message === 'worked') isWorked = true
    else ended.resolve(message)
  })
  sender.on('error', ended.reject)
  const began = Date.now()
  const times: number[] = []
  // Bodies that take seconds each are sent until as many were worked for as there are connections.
  do times.push(...(await askAgain(program, tries)))
  while (!isWorked && Date.now() - began < mostSeconds * 1000)
  sender.postMessage('stop')
  const { statuses, answered } = await ended.promise
  await sender.terminate()
  const largestBytes = Math.max(...requests.map(({ body }) => body.byteLength))
  const megabytes = Math.round((largestBytes / 2 ** 20) * 100) / 100
  const quantiles = describeTimes(times)
  const turn = await program.findLongestTurn(began)
  const met = quantiles.p99 <= bar.milliseconds && turn <= longestTurnMs && answered >= connections
  return { name, megabytes, statuses, answered, ...quantiles, turn, met }
}

/** What was sent before may still be worked through: large bodies of a person are answered in turn. */
async function waitForTurn(program: Program, { bearer, org }: FloodSeed): Promise<void> {
  const path = `/api/v1/orgs/${org}/derived-dataset-versions/preview`
  const body = `{"recipe":{}${' '.repeat(200_000)}}`
  for (let status = 429; status === 429; await sleep(500))
    status = (await program.call('POST', path, { bearer, body })).status
}

function print({ name, megabytes, statuses, median, p99, largest, turn, met }: BodyRow): void {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
  const times = `readyz ${median} ms, 99 of 100 within ${p99} ms, longest ${largest} ms; longest turn ${turn} ms of a processor`
  console.log(`${met ? 'met ' : 'MISS'} ${name} (${megabytes} MiB; ${answers.join(', ')}): ${times}`)
}
