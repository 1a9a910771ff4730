import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUp, type Program, startProgram } from '../../../e2e/program.ts'
import { watchTreeMemory } from '../process-tree.ts'
import type { BenchRow } from '../row.ts'
import { hasHubPeer, skipHubRow, startHubPeer } from './hub-peer.ts'

const pushedBytes = Number(process.env.NMP_BENCH_PUSH_GB ?? 1.2) * 1e9
const fileCount = 4
const pieceBytes = 4 * 1024 * 1024
const boundBytes = 600 * 1024 * 1024

/** The whole program while one stock client pushes by Xet and another reads what was pushed before. */
export async function benchHubMemory(): Promise<BenchRow[]> {
  const name = `${(pushedBytes / 1e9).toFixed(1)} GB pushed by Xet and as much read side by side: resident memory of the program`
  if (!hasHubPeer()) return [skipHubRow(name)]
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-hub-memory-'))
  try {
    const program = await startProgram()
    const memory = watchTreeMemory(process.pid)
    const { alone, beside, readBytes } = await pushAndRead(program, folder)
    const { peaks } = memory.stop()
    const parts = ['main.ts', 'worker-entry.ts'].map((entry) => peaks.get(entry) ?? 0)
    const inProgram = parts.reduce((total, bytes) => total + bytes, 0)
    const ratio = inProgram / boundBytes
    return [
      {
        name,
        ours: inMegabytes(inProgram),
        peer: `${inMegabytes(boundBytes)}, the bound`,
        ratio,
        goal: 'at most 1',
        met: parts.every((bytes) => bytes > 0) && ratio <= 1,
        note: `API ${inMegabytes(parts[0] ?? 0)}, worker ${inMegabytes(parts[1] ?? 0)}; a push alone took ${alone.toFixed(0)} s, the second ${beside.toFixed(0)} s while ${(readBytes / 1e9).toFixed(1)} GB were read; huggingface_hub 1.33`,
      },
    ]
  } finally {
    await cleanUp()
    await rm(folder, { recursive: true, force: true })
  }
}

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`

async function pushAndRead(program: Program, folder: string) {
  const token = await program.mustAdmin('session', 'admin@localhost')
  const { body: orgs } = await program.call('GET', '/api/v1/orgs', { bearer: token })
  const org: string = orgs.items[0].slug
  const endpoint = `${program.url}/hf`
  const writer = await startHubPeer(['push'], {
    HF_ENDPOINT: endpoint,
    HF_TOKEN: token,
    HF_HOME: join(folder, 'home-push'),
  })
  const reader = await startHubPeer(['snapshot'], { HF_HOME: join(folder, 'home-read') })
  const { seconds: alone } = await writer.ask(`${org}/first`, await makeFiles(join(folder, 'first')))
  const second = await makeFiles(join(folder, 'second'))
  let isPushing = true
  let readBytes = 0
  const pushing = writer.ask(`${org}/second`, second).finally(() => {
    isPushing = false
  })
  const readOn = async (): Promise<void> => {
    while (isPushing) {
      const { bytes = 0 } = await reader.ask(endpoint, token, `${org}/first`, join(folder, 'read'))
      if (bytes < pushedBytes) throw new Error(`${bytes} bytes were read of ${pushedBytes}`)
      readBytes += bytes
    }
  }
  const [{ seconds: beside }] = await Promise.all([pushing, readOn()])
  await writer.stop()
  await reader.stop()
  return { alone, beside, readBytes }
}

/** Random bytes: nothing of them is compressed, and no chunk is like another. */
async function makeFiles(folder: string): Promise<string> {
  await mkdir(folder)
  for (let index = 0; index < fileCount; index++) {
    const file = await open(join(folder, `recording-${index}.bin`), 'wx')
    for (let left = Math.ceil(pushedBytes / fileCount); left > 0; left -= pieceBytes)
      await file.write(randomBytes(Math.min(pieceBytes, left)))
    await file.close()
  }
  return folder
}
