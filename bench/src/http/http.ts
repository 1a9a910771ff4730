import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPythonPeer, startPythonServer } from '../python-peer.ts'
import type { BenchRow } from '../row.ts'
import { createItems } from './http-items.ts'
import type { LoadOrder, LoadResult } from './http-load.ts'

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/**
 * Short rounds alternate between the sides and the best of each counts: what else runs on the machine only adds. A server needs
 * some thousand requests until its code is compiled.
 */
const rounds = 40
const requestsPerRound = 500
const warmUpRequests = 6000
const secondsPerRound = 10
const packages = ['fastapi==0.162.4', 'uvicorn[standard]==0.54.0']

interface NodeServer {
  child: ChildProcess
  port: number
}

const receive = async <T>(child: ChildProcess): Promise<T> => {
  const settled = new AbortController()
  const { signal } = settled
  const exit = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A process of the bench ended with ${code}`)
  })
  const message = once(child, 'message', { signal }).then(([value]) => value as T)
  return Promise.race([message, exit]).finally(() => settled.abort())
}

const startServer = async (kind: 'raw' | 'ours'): Promise<NodeServer> => {
  const child = fork(beside('http-server.ts'), [kind])
  return { child, ...(await receive<{ port: number }>(child)) }
}

const ask = async <T>(child: ChildProcess, question: object): Promise<T> => {
  const answer = receive<T>(child)
  child.send(question)
  return answer
}

const readCpu = async ({ child }: NodeServer): Promise<number> =>
  (await ask<{ cpuMicroseconds: number }>(child, {})).cpuMicroseconds

/** Asks one server for the list so many times. */
type Load = (port: number, path: string, requests: number) => Promise<LoadResult>

interface Round {
  cpuPerRequest: number
  perSecond: number
}

const measure = async (server: NodeServer, load: Load, requests = requestsPerRound): Promise<Round> => {
  const before = await readCpu(server)
  const { answered, seconds } = await load(server.port, '/items?limit=50', requests)
  return { cpuPerRequest: ((await readCpu(server)) - before) / answered, perSecond: answered / seconds }
}

const benchAgainstNode = async (ours: NodeServer, load: Load): Promise<BenchRow> => {
  const raw = await startServer('raw')
  try {
    for (const server of [raw, ours]) await measure(server, load, warmUpRequests)
    let [own, limit] = [Infinity, Infinity]
    for (let round = 0; round < rounds; round++) {
      limit = Math.min(limit, (await measure(raw, load)).cpuPerRequest)
      own = Math.min(own, (await measure(ours, load)).cpuPerRequest)
    }
    return {
      name: 'HTTP: server CPU of a 50 x 30 list',
      ours: `${own.toFixed(0)} us/request`,
      peer: `${limit.toFixed(0)} us/request (node:http, JSON.stringify)`,
      ratio: own / limit,
      goal: '<= 1.1',
      met: own / limit <= 1.1,
    }
  } finally {
    raw.child.kill()
  }
}

/** The ways to write the route in FastAPI. The peer is the first: rows in memory and a declared answer, as the route has here. */
const fastApiPaths = ['/declared', '/models', '/undeclared'] as const

const benchAgainstFastApi = async (ours: NodeServer, load: Load): Promise<BenchRow> => {
  const row = { name: 'HTTP: requests a second of a 50 x 30 list', goal: '>= 5' }
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-'))
  const page = join(folder, 'page.json')
  await writeFile(page, JSON.stringify({ items: createItems() }))
  let peer: Awaited<ReturnType<typeof startPythonServer>> | undefined
  try {
    peer = await startPythonServer(await openPythonPeer('fastapi', packages), [beside('fastapi_list.py'), page])
    const rates = { '/declared': 0, '/models': 0, '/undeclared': 0 }
    let own = 0
    for (let round = 0; round < 6; round++) {
      for (const path of fastApiPaths) {
        const { answered, seconds } = await load(peer.port, `${path}?limit=50`, 300)
        rates[path] = Math.max(rates[path], answered / seconds)
      }
      own = Math.max(own, (await measure(ours, load)).perSecond)
    }
    const ratio = own / rates['/declared']
    return {
      ...row,
      ours: `${own.toFixed(0)}/s`,
      peer: `${rates['/declared'].toFixed(0)}/s (FastAPI with a response model, uvicorn with uvloop)`,
      ratio,
      met: ratio >= 5,
      note: `One process each. FastAPI over ready-made pydantic models: ${rates['/models'].toFixed(0)}/s; without a response model: ${rates['/undeclared'].toFixed(0)}/s.`,
    }
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
    return { ...row, ours: '', peer: '', ratio: 0, met: false, note: `Skipped: ${why}` }
  } finally {
    peer?.child.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

/** What the HTTP layer costs over bare Node, and how it stands beside the framework whose contract it keeps. */
export const benchHttp = async (): Promise<BenchRow[]> => {
  const client = fork(beside('http-load.ts'))
  const load: Load = (port, path, requests) => {
    const order: LoadOrder = { port, path, requests, seconds: secondsPerRound }
    return ask(client, order)
  }
  const ours = await startServer('ours')
  try {
    return [await benchAgainstNode(ours, load), await benchAgainstFastApi(ours, load)]
  } finally {
    ours.child.kill()
    client.kill()
  }
}
