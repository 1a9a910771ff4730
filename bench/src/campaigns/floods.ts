import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { cleanUp, type Program, startProgram } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { seedFloods } from './floods/flood-seed.ts'
import { measureHeldMemory } from './floods/held-memory.ts'
import { type HostileBody, listHostileBodies } from './floods/hostile-bodies.ts'
import type { SenderData, SenderResult } from './floods/sender-entry.ts'
import type { CampaignOptions } from './options.ts'

const fullTries = 300
const betweenTries = 40
const connections = 8
const bar = { milliseconds: 250, ofTries: 0.99 }

interface BodyRow {
  name: string
  megabytes: number
  statuses: SenderResult
  median: number
  p99: number
  largest: number
  met: boolean
}

/**
 * One client floods the program as it is started by default, but for the limit of requests per second, which would spare it: with the worst
 * body of each route, with readers who never read, with senders who never finish. `--only REGEX` takes some of it by name.
 */
export const campaignFloods = async ({ scale, only, seed: number }: CampaignOptions): Promise<boolean> => {
  const wanted = new RegExp(only ?? '')
  try {
    const program = await startProgram()
    const seed = await seedFloods(program)
    // The sessions of the seed are for this address.
    const place = { dataDir: program.dataDir, env: { NMP_PORT: new URL(program.url).port } }
    const bodies: BodyRow[] = []
    for (const body of listHostileBodies(seed).filter(({ name }) => wanted.test(name))) {
      const row = await flood(program, body, Math.max(30, Math.round(fullTries * scale)))
      bodies.push(row)
      print(row)
    }
    await program.stop()
    const held = await measureHeldMemory(place, seed, wanted, scale)
    const passed = [...bodies, ...held].every(({ met }) => met)
    const result = { campaign: 'floods', ...describeMachine(), scale, seed: number, bar, passed, bodies, held }
    if (!only) await writeResult(result)
    return passed
  } finally {
    await cleanUp()
  }
}

/** How long `/readyz` takes for somebody else meanwhile. */
async function flood(program: Program, { name, body, path, ...rest }: HostileBody, tries: number): Promise<BodyRow> {
  const data: SenderData = { url: program.url + path, ...rest, body, connections }
  const sender = new Worker(new URL('./floods/sender-entry.ts', import.meta.url), { workerData: data })
  await once(sender, 'online')
  await sleep(500)
  const times: number[] = []
  for (let index = 0; index < tries; index++) {
    const start = performance.now()
    const { status } = await program.call('GET', '/readyz')
    times.push(status === 200 ? performance.now() - start : Number.POSITIVE_INFINITY)
    await sleep(betweenTries)
  }
  sender.postMessage('stop')
  const [statuses] = (await once(sender, 'message')) as [SenderResult]
  await sender.terminate()
  times.sort((a, b) => a - b)
  const at = (share: number): number => Math.round((times[Math.ceil(share * times.length) - 1] ?? 0) * 10) / 10
  const p99 = at(bar.ofTries)
  const megabytes = Math.round((body.byteLength / 2 ** 20) * 100) / 100
  return { name, megabytes, statuses, median: at(0.5), p99, largest: at(1), met: p99 <= bar.milliseconds }
}

function print({ name, megabytes, statuses, median, p99, largest, met }: BodyRow): void {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
  const times = `readyz ${median} ms, 99 of 100 within ${p99} ms, longest ${largest} ms`
  console.log(`${met ? 'met ' : 'MISS'} ${name} (${megabytes} MiB; ${answers.join(', ')}): ${times}`)
}
