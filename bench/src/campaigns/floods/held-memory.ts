import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../../e2e/program.ts'
import { watchTreeMemory } from '../../process-tree.ts'
import type { FloodSeed } from './flood-seed.ts'

const fullClients = 500
const boundBytes = 1e9
const watchSeconds = 20
const MiB = 1024 * 1024

interface HeldRow {
  name: string
  clients: number
  /** Largest resident size of the program meanwhile, and before. */
  megabytes: number
  before: number
  /** Connections that the program had ended at the end of the watch. */
  ended: number
  met: boolean
}

interface Clients {
  name: string
  open(index: number): Promise<Socket> | Socket
}

/** Clients that hold on to what they have, five hundred of each kind at a time. */
export async function measureHeldMemory(
  program: Program,
  seed: FloodSeed,
  wanted: RegExp,
  scale: number,
): Promise<HeldRow[]> {
  const rows: HeldRow[] = []
  for (const kind of (await listKinds(program, seed)).filter(({ name }) => wanted.test(name))) {
    const clients = Math.max(10, Math.round(fullClients * scale))
    const before = await watch(1)
    const sockets: Socket[] = []
    const watching = watch(watchSeconds)
    for (let index = 0; index < clients; index++) sockets.push(await kind.open(index))
    const peak = await watching
    const ended = sockets.filter(({ destroyed }) => destroyed).length
    for (const socket of sockets) socket.destroy()
    const row = {
      name: kind.name,
      clients,
      megabytes: inMegabytes(peak),
      before: inMegabytes(before),
      ended,
      met: peak < boundBytes,
    }
    rows.push(row)
    console.log(
      `${row.met ? 'met ' : 'MISS'} ${row.name}: ${row.megabytes} MB with ${clients} clients, ${row.before} MB before, ${ended} were ended`,
    )
    await sleep(3000)
  }
  return rows
}

const inMegabytes = (bytes: number): number => Math.round(bytes / 1e6)

/** Of the largest process of the program. */
async function watch(seconds: number): Promise<number> {
  const memory = watchTreeMemory(process.pid)
  await sleep(seconds * 1000)
  return Math.max(0, ...memory.stop().values())
}

async function listKinds(
  program: Program,
  { bearer, org, project, dataset, datasetId, push }: FloodSeed,
): Promise<Clients[]> {
  const { hostname, port } = new URL(program.url)
  const own = `authorization: Bearer ${bearer}\r\n`
  const begin = (head: string, bytes: number): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}host: ${hostname}\r\n\r\n`)
        if (bytes > 0) socket.write(Buffer.alloc(bytes, 0x20))
        resolve(socket)
      })
      socket.on('error', () => {})
      // Nothing that the program answers is ever taken.
      if (bytes === 0) socket.pause()
      else socket.resume()
    })
  const rows = `/api/v1/catalog/datasets/${datasetId}/episodes/0/rows`
  const read = (name: string, path: string): Clients => ({
    name,
    open: () => begin(`GET ${path} HTTP/1.1\r\n${own}`, 0),
  })
  const send = (name: string, line: string, bytes: number, type = 'application/json'): Clients => ({
    name,
    open: () => begin(`${line} HTTP/1.1\r\n${own}content-type: ${type}\r\ncontent-length: ${bytes + 1000}\r\n`, bytes),
  })
  const token = await program.call('GET', `/hf/api/datasets/${org}/${push}/xet-write-token/main`, { bearer })
  const { casUrl, accessToken } = token.body as { casUrl: string; accessToken: string }
  const cas = `authorization: Bearer ${accessToken}\r\n`
  const beginCas = (path: string, bytes: number): Promise<Socket> =>
    begin(`POST ${new URL(casUrl).pathname}${path} HTTP/1.1\r\n${cas}content-length: ${bytes + 1000}\r\n`, bytes)
  const versions = `/api/v1/orgs/${org}/derived-dataset-versions`
  return [
    read('rows as Arrow, never read', `${rows}?format=arrow`),
    read('rows as CSV, never read', `${rows}?format=csv`),
    read('rows as JSON, never read', `${rows}?points=20000`),
    read(
      'a file of the Hub door, never read',
      `/hf/datasets/${org}/${dataset}/resolve/main/data/chunk-000/file-000.parquet`,
    ),
    send('recipes, never finished', `POST ${versions}/preview`, 15 * MiB),
    send('tokens, never finished', 'POST /api/v1/users/me/tokens', 120 * 1024),
    send('commits, never finished', `POST /hf/api/datasets/${org}/${push}/commit/main`, 16 * MiB),
    {
      name: 'xorbs, never finished',
      open: (index) => beginCas(`/v1/xorbs/default/${index.toString(16).padStart(64, '0')}`, 32 * MiB),
    },
    { name: 'shards, never finished', open: () => beginCas('/v1/shards', 32 * MiB) },
    send('flags, never finished', `PUT /api/v1/orgs/${org}/projects/${project}/datasets/${dataset}/flags`, 7 * MiB),
  ]
}
