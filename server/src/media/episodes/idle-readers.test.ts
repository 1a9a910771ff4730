import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { write } from '@nmp/formats/lerobot/writer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryDataset } from '../../../../formats/test/memory-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishFolder } from '../../../test/published-dataset.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const frames = 30_000
const width = 32
const readerCount = 8
const MB = 1e6

let program: TestProgram
let bearer: string
let datasetId: string
let folder: string

beforeAll(async () => {
  program = await startProgram({ NMP_ANSWER_MEMORY_BYTES: '1000000' })
  const { context } = program
  const user = await program.addUser('idle@example.org')
  bearer = await program.signIn(user)
  const org = await createOrg(context.db, 'operator', { slug: 'idle-lab', name: 'Idle', adminUserId: user.id })
  const project = await createProject(context.db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  folder = await mkdtemp(join(tmpdir(), 'nmp-idle-'))
  await writeLongSet(join(folder, 'long'))
  const place = { orgId: org.id, projectId: project.id, slug: 'long' }
  datasetId = (await publishFolder(context, join(folder, 'long'), place)).datasetId
}, 180_000)
afterAll(async () => {
  await program.close()
  await rm(folder, { recursive: true })
})

async function writeLongSet(path: string): Promise<void> {
  const feature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [width], names: null } as const
  const values = Float32Array.from({ length: frames * width }, (_, at) => Math.sin(at * 0.0137))
  const episode = { length: frames, tasks: ['Move'], columns: new Map([[feature.name, values]]) }
  await using dataset = createMemoryDataset([feature], [episode], 10_000, 30)
  await write(dataset, path, {})
}

const ask = async (query: string): Promise<IncomingMessage> => {
  const url = `${program.url}/api/v1/catalog/datasets/${datasetId}/episodes/0/rows?${query}`
  const asked = get(url, { agent: false, headers: { authorization: `Bearer ${bearer}` } })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response.pause()
}

const readAll = async (response: IncomingMessage): Promise<string> => {
  const hash = createHash('sha256')
  for await (const piece of response) hash.update(piece)
  return `${response.statusCode} ${response.complete} ${hash.digest('hex')}`
}

function measureMemory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test.each(['format=arrow', 'format=csv&end_frame=10000', 'points=10000'])(
  'readers of %s who take nothing hold little memory, hinder nobody and get all of it when they go on',
  async (query) => {
    const expected = await readAll(await ask(query))
    expect(expected).toMatch(/^200 true /)
    const before = measureMemory()
    const idle = await Promise.all(Array.from({ length: readerCount }, () => ask(query)))
    expect(await readAll(await ask(query))).toBe(expected)
    // What waited was 3 to 4.5 MB for each of them. Two may keep a row group of 4 MB open, as long as nobody else wants to read.
    await expect.poll(() => measureMemory() - before, { timeout: 60_000 }).toBeLessThan(15 * MB)
    for (const response of idle) expect(await readAll(response)).toBe(expected)
  },
  180_000,
)
