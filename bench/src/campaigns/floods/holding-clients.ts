import { connect, type Socket } from 'node:net'
import type { Program } from '../../../../e2e/program.ts'
import type { FloodSeed } from './flood-seed.ts'

/** A client that never reads on, or never finishes. */
export interface HoldingClient {
  socket: Socket
  /** Of the answer, as far as it began. */
  status?: number
}

export interface HoldingKind {
  name: string
  /** It takes the first of an answer; the others begin to send. */
  reads: boolean
  /** At a program that was just started: how one of them is opened. */
  prepare(program: Program): Promise<(index: number) => Promise<HoldingClient>>
}

/** What is read of strangers' files, by processes in the sandbox. */
export const strangersKinds = [
  'rows of strangers as Arrow, never read',
  'posters of pictures of fifty million pixels, never read',
] as const

const MiB = 1024 * 1024
const blanks = Buffer.alloc(32 * MiB, 0x20)

export function listHoldingKinds(seed: FloodSeed): HoldingKind[] {
  const { bearer, org, project, dataset, datasetId, foreignIds, pictures, push } = seed
  const own = `authorization: Bearer ${bearer}\r\n`
  const rows = `/api/v1/catalog/datasets/${datasetId}/episodes/0/rows`
  const read = (name: string, path: string): HoldingKind => ({
    name,
    reads: true,
    prepare: async (program) => () => beginReading(program, `GET ${path} HTTP/1.1\r\n${own}`),
  })
  const send = (name: string, line: string, bytes: number): HoldingKind => ({
    name,
    reads: false,
    prepare: async (program) => () =>
      beginSending(program, `${line} HTTP/1.1\r\n${own}content-type: application/json\r\n`, bytes),
  })
  const sendToStore = (name: string, path: (index: number) => string): HoldingKind => ({
    name,
    reads: false,
    async prepare(program) {
      const token = await program.call('GET', `/hf/api/datasets/${org}/${push}/xet-write-token/main`, { bearer })
      const { casUrl, accessToken } = token.body as { casUrl: string; accessToken: string }
      const head = (index: number): string =>
        `POST ${new URL(casUrl).pathname}${path(index)} HTTP/1.1\r\nauthorization: Bearer ${accessToken}\r\n`
      return (index) => beginSending(program, head(index), 32 * MiB)
    },
  })
  const versions = `/api/v1/orgs/${org}/derived-dataset-versions`
  const file = `/hf/datasets/${org}/${dataset}/resolve/main/data/chunk-000/file-000.parquet`
  return [
    read('rows as Arrow, never read', `${rows}?format=arrow`),
    read('rows as CSV, never read', `${rows}?format=csv`),
    read('rows as JSON, never read', `${rows}?points=20000`),
    {
      name: strangersKinds[0],
      reads: true,
      prepare: async (program) => (index) => {
        const id = foreignIds[index % foreignIds.length]
        const path = `/api/v1/catalog/datasets/${id}/episodes/0/rows?format=arrow`
        return beginReading(program, `GET ${path} HTTP/1.1\r\n${own}`)
      },
    },
    {
      name: strangersKinds[1],
      reads: true,
      async prepare(program) {
        const { body } = await program.call('GET', `/api/v1/catalog/datasets/${pictures.datasetId}`, { bearer })
        const [media] = /\/api\/v1\/media\/\w+\/\w+/.exec(JSON.stringify(body)) ?? []
        const widths = [160, 320, 640, 1280]
        return (index) => {
          const width = widths[Math.floor(index / pictures.frames) % widths.length]
          const frame = index % pictures.frames
          const query = `episode=0&camera=${pictures.camera}&frame=${frame}&width=${width}`
          return beginReading(program, `GET ${media}/poster?${query} HTTP/1.1\r\n${own}`)
        }
      },
    },
    read('a file of the Hub door, never read', file),
    {
      name: 'a dataset as tar, never read',
      reads: true,
      async prepare(program) {
        const { body } = await program.call('GET', `/api/v1/catalog/datasets/${datasetId}`, { bearer })
        const href = /[^"]*\/archive\?[^"]*/.exec(JSON.stringify(body))?.[0] ?? ''
        const { pathname, search } = new URL(href, program.url)
        return () => beginReading(program, `GET ${pathname}${search} HTTP/1.1\r\n`)
      },
    },
    send('recipes, never finished', `POST ${versions}/preview`, 15 * MiB),
    send('tokens, never finished', 'POST /api/v1/users/me/tokens', 120 * 1024),
    send('commits, never finished', `POST /hf/api/datasets/${org}/${push}/commit/main`, 16 * MiB),
    sendToStore('xorbs, never finished', (index) => `/v1/xorbs/default/${index.toString(16).padStart(64, '0')}`),
    sendToStore('shards, never finished', () => '/v1/shards'),
    send('flags, never finished', `PUT /api/v1/orgs/${org}/projects/${project}/datasets/${dataset}/flags`, 7 * MiB),
  ]
}

/** Takes the first piece of the answer, and nothing more ever. */
async function beginReading(program: Program, head: string): Promise<HoldingClient> {
  const client = await open(program, head)
  client.socket.once('data', () => client.socket.pause())
  return client
}

/** Says that a little more is to come than comes. */
async function beginSending(program: Program, head: string, bytes: number): Promise<HoldingClient> {
  const client = await open(program, `${head}content-length: ${bytes + 1000}\r\n`)
  client.socket.write(blanks.subarray(0, bytes))
  client.socket.on('data', () => {})
  return client
}

const open = ({ url }: Program, head: string): Promise<HoldingClient> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const client: HoldingClient = {
      socket: connect(Number(port), hostname, () => {
        client.socket.write(`${head}host: ${hostname}\r\n\r\n`)
        resolve(client)
      }),
    }
    client.socket.on('error', () => resolve(client))
    client.socket.once('data', (bytes: Buffer) => {
      client.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1', 0, 12))?.[1])
    })
  })
