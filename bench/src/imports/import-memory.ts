import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cleanUp, type Program, startProgram } from '../../../e2e/program.ts'
import { watchTreeMemory } from '../process-tree.ts'
import { openH5py } from '../python-peer.ts'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const fileBytes = Number(process.env.NMP_BENCH_HDF5_GB ?? 6) * 1e9
const size = { width: 640, height: 480 }
const episodeFrames = 500
const requestBytes = 256 * 1024 * 1024
const boundBytes = 700 * 1024 * 1024
const boundSeconds = 2

/** A large HDF5 file through the whole program: sent by tus, imported, watched as a person would watch it. */
export const benchImportMemory = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-memory-'))
  try {
    const file = await makeFile(folder)
    const { size: sizeBytes } = await stat(file)
    const program = await startProgram()
    const bearer = await program.mustAdmin('session', 'admin@localhost')
    const memory = watchTreeMemory(process.pid)
    const uploadId = await upload(program, bearer, file, sizeBytes)
    const { seconds, longest } = await importFile(program, bearer, uploadId)
    const { peaks } = memory.stop()
    const parts = ['main.ts', 'worker-entry.ts'].map((name) => peaks.get(name) ?? 0)
    const inProgram = parts.reduce((total, bytes) => total + bytes, 0)
    const ratio = inProgram / boundBytes
    const others = [...peaks]
      .filter(([name]) => name !== 'main.ts' && name !== 'worker-entry.ts')
      .map(([name, bytes]) => `${name} ${inMegabytes(bytes)}`)
    const what = `HDF5 file of ${(sizeBytes / 1e9).toFixed(1)} GB by tus and import`
    return [
      {
        name: `${what}: resident memory of the program, API and worker together`,
        ours: inMegabytes(inProgram),
        peer: `${inMegabytes(boundBytes)}, the bound`,
        ratio,
        goal: 'at most 1',
        met: parts.every((bytes) => bytes > 0) && ratio <= 1,
        note: `${parts.map(inMegabytes).join(' and ')}; the import took ${seconds.toFixed(0)} s; peaks of its child processes: ${others.join(', ')}`,
      },
      {
        name: `${what}: longest time without a change of the progress`,
        ours: `${longest.seconds.toFixed(1)} s`,
        peer: `${boundSeconds} s, the bound`,
        ratio: longest.seconds / boundSeconds,
        goal: 'at most 1',
        met: longest.seconds <= boundSeconds,
        note: `in the phase ${longest.phase}; asked five times a second over the API`,
      },
    ]
  } finally {
    await cleanUp()
    await rm(folder, { recursive: true, force: true })
  }
}

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`

async function makeFile(folder: string): Promise<string> {
  const python = await openH5py()
  const script = fileURLToPath(new URL('../formats/hdf5_peer.py', import.meta.url))
  const episodes = Math.max(1, Math.round(fileBytes / (episodeFrames * size.width * size.height * 3)))
  const args = [script, 'make', folder, episodes, episodeFrames, size.width, size.height].map(String)
  await run(python, args, { env: { RAW: '0' }, timeout: 1_800_000 })
  return join(folder, 'demo.hdf5')
}

async function upload(program: Program, bearer: string, file: string, sizeBytes: number): Promise<string> {
  const tus = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
  const created = await program.call('POST', '/api/v1/uploads', {
    headers: {
      ...tus,
      'upload-length': String(sizeBytes),
      'upload-metadata': `filename ${Buffer.from('demo.hdf5').toString('base64')}`,
    },
  })
  const { pathname } = new URL(created.headers.get('location') ?? '')
  for (let start = 0; start < sizeBytes; start += requestBytes) {
    const end = Math.min(sizeBytes, start + requestBytes)
    const headers = {
      ...tus,
      'upload-offset': String(start),
      'content-type': 'application/offset+octet-stream',
      'content-length': String(end - start),
    }
    const sending = request(program.url + pathname, { method: 'PATCH', headers })
    const answered = once(sending, 'response')
    await pipeline(createReadStream(file, { start, end: end - 1, highWaterMark: 1024 * 1024 }), sending)
    const [response] = await answered
    response.resume()
    await once(response, 'end')
    if (response.statusCode !== 204) throw new Error(`PATCH was answered with ${response.statusCode}`)
  }
  return pathname.split('/').at(-1) ?? ''
}

async function importFile(program: Program, bearer: string, uploadId: string) {
  const { body: orgs } = await program.call('GET', '/api/v1/orgs', { bearer })
  const place = `/api/v1/orgs/${orgs.items[0].slug}/projects/default/imports`
  const begun = performance.now()
  const created = await program.call('POST', place, {
    bearer,
    body: { source_kind: 'hdf5', dataset_slug: 'large', upload_ids: [uploadId] },
  })
  if (created.status !== 201) throw new Error(`the import was answered with ${created.status}`)
  let shown = ''
  let shownAt = performance.now()
  let longest = { seconds: 0, phase: '' }
  for (;;) {
    const { body } = await program.call('GET', `${place}/${created.body.item.id}`, { bearer })
    const { status, progress_pct, progress_phase, progress_message, error_message } = body.item
    const now = JSON.stringify([progress_pct, progress_phase, progress_message])
    if (status === 'succeeded') return { seconds: (performance.now() - begun) / 1000, longest }
    if (status === 'failed') throw new Error(`the import failed: ${error_message}`)
    const seconds = (performance.now() - shownAt) / 1000
    if (seconds > longest.seconds) longest = { seconds, phase: progress_phase ?? 'queued' }
    if (now !== shown) shownAt = performance.now()
    shown = now
    await sleep(200)
  }
}
