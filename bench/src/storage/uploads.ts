import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { cleanUp, type Program, startProgram } from '../../../e2e/program.ts'
import type { BenchRow } from '../row.ts'
import { measureSeconds } from '../timing.ts'

const sizeBytes = 512 * 1024 * 1024
const rounds = 3

/** One file by tus, through the whole program with its lock, sha256 and records, against a bare streamed PUT that syncs its file. */
export const benchUploads = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-uploads-'))
  const child = fork(join(import.meta.dirname, 'uploads-server.ts'), [folder], { stdio: 'inherit' })
  try {
    const source = join(folder, 'source')
    await writeRandomFile(source)
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    const program = await startProgram()
    const bearer = await program.mustAdmin('session', 'admin@localhost')
    const peak = watchMemory(program)
    const ours: number[] = []
    const peer: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await measureSeconds(() => uploadByTus(program, bearer, source)))
      peer.push(await measureSeconds(() => send(`http://127.0.0.1:${port}/`, 'PUT', {}, source)))
    }
    const [best, bestPeer] = [Math.min(...ours), Math.min(...peer)]
    const ratio = best / bestPeer
    return [
      {
        name: 'upload of 512 MiB by tus against a plain streamed PUT',
        ours: `${best.toFixed(2)} s`,
        peer: `${bestPeer.toFixed(2)} s`,
        ratio,
        goal: 'at most 1.5',
        met: ratio <= 1.5,
        note: `best of ${rounds}; ours also hashes, keeps parts and records; resident memory at most ${Math.round((await peak.stop()) / 2 ** 20)} MiB; load average ${loadavg()[0]?.toFixed(1)}`,
      },
    ]
  } finally {
    child.disconnect()
    await cleanUp()
    await rm(folder, { recursive: true, force: true })
  }
}

async function uploadByTus(program: Program, bearer: string, source: string): Promise<void> {
  const tus = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
  const filename = Buffer.from(`bench-${randomBytes(4).toString('hex')}.bin`).toString('base64')
  const created = await program.call('POST', '/api/v1/uploads', {
    headers: { ...tus, 'upload-length': String(sizeBytes), 'upload-metadata': `filename ${filename}` },
  })
  const { pathname } = new URL(created.headers.get('location') ?? '')
  const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  await send(program.url + pathname, 'PATCH', headers, source)
  await program.call('DELETE', pathname, { headers: tus })
}

async function send(url: string, method: string, headers: Record<string, string>, source: string): Promise<void> {
  const sending = request(url, { method, headers: { ...headers, 'content-length': String(sizeBytes) } })
  const answered = once(sending, 'response')
  await pipeline(createReadStream(source, { highWaterMark: 1024 * 1024 }), sending)
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 204) throw new Error(`${method} was answered with ${response.statusCode}`)
}

/** What the program says about itself, four times a second. */
function watchMemory(program: Program): { stop(): Promise<number> } {
  let most = 0
  const timer = setInterval(async () => {
    const { body } = await program.call('GET', '/metrics').catch(() => ({ body: '' }))
    const resident = Number(/^process_resident_memory_bytes (\S+)$/m.exec(String(body))?.[1] ?? 0)
    most = Math.max(most, resident)
  }, 250)
  return {
    async stop() {
      clearInterval(timer)
      return most
    },
  }
}

async function writeRandomFile(path: string): Promise<void> {
  const file = createWriteStream(path)
  const block = randomBytes(8 * 1024 * 1024)
  for (let written = 0; written < sizeBytes; written += block.byteLength) {
    block.writeUInt32LE(written >>> 20, 0)
    if (!file.write(Buffer.from(block))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}
