import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestBytes, encodeFingerprints, type FingerprintSet } from '@nmp/formats/diff/fingerprints'
import { pino } from 'pino'
import { createApp } from '../../../server/src/app.ts'
import { loadConfig } from '../../../server/src/config.ts'
import type { Context } from '../../../server/src/context.ts'
import { fingerprintFile, fingerprintsFolder, frameFile } from '../../../server/src/datasets/fingerprints.ts'
import { inTransaction, openDatabase } from '../../../server/src/db/database.ts'
import { openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../../server/src/db/migrations.ts'
import { signOperatorSession } from '../../../server/src/identity/sessions.ts'
import { createUser } from '../../../server/src/identity/users/service.ts'
import { createProject } from '../../../server/src/organizations/projects/service.ts'
import { createOrg } from '../../../server/src/organizations/service.ts'
import { publishBlobs, stageBlob } from '../../../server/src/storage/blobs.ts'
import { generateModel, publishModel } from '../../../server/test/generated-dataset.ts'
import type { BenchRow } from '../row.ts'
import { median } from '../timing.ts'

const count = 100_000
const boundSeconds = 2
const runs = 5
const log = pino({ level: 'silent' })
const features: FingerprintSet['features'] = [
  { name: 'observation.state', kind: 'column', dtype: 'float32', shape: [6] },
  { name: 'action', kind: 'column', dtype: 'float32', shape: [6] },
  { name: 'observation.images.front', kind: 'camera', dtype: 'video', shape: [480, 640, 3] },
  { name: 'observation.images.wrist', kind: 'camera', dtype: 'video', shape: [480, 640, 3] },
]

/** An episode of a generated set: which recording it is, what of it, and how it differs. */
interface Generated {
  recording: number
  from: number
  length: number
  /** By feature. */
  edition: readonly number[]
  task: number
}

const original = (recording: number): Generated => ({
  recording,
  from: 0,
  length: 100 + ((recording * 2654435761) % 201),
  edition: [0, 0, 0, 0],
  task: recording % 50,
})

/** One in a hundred each: gone, new, cut, with another task, encoded anew, with other actions. All in another order. */
function change(recording: number): Generated[] {
  const episode = original(recording)
  switch (recording % 100) {
    case 0:
      return []
    case 1:
      return [original(count + recording)]
    case 2:
      return [{ ...episode, from: 10, length: episode.length - 15 }]
    case 3:
      return [{ ...episode, task: (episode.task + 1) % 50 }]
    case 4:
      return [{ ...episode, edition: [0, 0, 1, 1] }]
    case 5:
      return [{ ...episode, edition: [0, 1, 0, 0] }]
    default:
      return [episode]
  }
}

/** Two sets of a hundred thousand episodes, from what is stored: the first answer of a program that has just been started. */
export const benchDiff = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-diff-'))
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const database = openDatabase({ connection: postgres.connection, log })
  try {
    await migrateDatabase(database.pool)
    const config = loadConfig({ NMP_DATA_DIR: folder })
    const app = await createApp({
      config,
      log,
      db: database.db,
      connection: postgres.connection,
      publicUrl: 'http://127.0.0.1',
    })
    const sets = await publishSets(app.context)
    await app.close()
    const seconds: number[] = []
    let told = ''
    const cpuSeconds: number[] = []
    let rssMegabytes = 0
    for (let run = 0; run < runs; run++) {
      const child = fork(
        fileURLToPath(new URL('../catalog/catalog-server.ts', import.meta.url)),
        ['ours', JSON.stringify(postgres.connection), folder],
        { env: process.env },
      )
      try {
        const { port } = await receive<{ port: number }>(child)
        const path = `/api/v1/orgs/bench/diff?from=${sets.from}&to=${sets.to}`
        const before = await askUsage(child)
        const began = performance.now()
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { authorization: `Bearer ${sets.bearer}` },
        })
        const { item } = (await answer.json()) as { item: { state: string; counts: Record<string, number> } }
        seconds.push((performance.now() - began) / 1000)
        if (item.state !== 'ready') throw new Error(`the diff is ${item.state}`)
        told = JSON.stringify(item.counts)
        const after = await askUsage(child)
        cpuSeconds.push((after.cpuMicroseconds - before.cpuMicroseconds) / 1e6)
        rssMegabytes = Math.max(rssMegabytes, after.rss / 1e6)
      } finally {
        child.disconnect()
        await once(child, 'exit')
      }
    }
    const middle = median(seconds)
    return [
      {
        name: `diff of two sets of ${count.toLocaleString('en')} episodes, ${features.length} features, first request of a fresh program`,
        ours: `${middle.toFixed(2)} s (${seconds.map((one) => one.toFixed(2)).join(', ')})`,
        peer: `${boundSeconds} s, the bound that was asked for`,
        ratio: middle / boundSeconds,
        goal: '<= 1',
        met: middle <= boundSeconds,
        note: `${told}; ${median(cpuSeconds).toFixed(2)} s of CPU; ${rssMegabytes.toFixed(0)} MB resident afterwards`,
      },
    ]
  } finally {
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const askUsage = (child: ChildProcess): Promise<{ rss: number; cpuMicroseconds: number }> => {
  const usage = receive<{ rss: number; cpuMicroseconds: number }>(child)
  child.send({})
  return usage
}

const receive = async <T>(child: ChildProcess): Promise<T> => {
  const [value] = await once(child, 'message')
  return value as T
}

async function publishSets(context: Context): Promise<{ from: string; to: string; bearer: string }> {
  const { db, secrets, publicUrl } = context
  const user = await inTransaction(db, (trx) =>
    createUser(trx, 'operator', { email: 'b@example.org', displayName: '' }),
  )
  const org = await createOrg(db, 'operator', { slug: 'bench', name: 'Bench', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'bench', name: 'Bench' })
  const place = { orgId: org.id, projectId: project.id, slug: 'sets' }
  const before = Array.from({ length: count }, (_, recording) => original(recording))
  // A step that shares no factor with their number reaches each of them once.
  const after = Array.from({ length: count }, (_, place) => change((place * 61_121) % count)).flat()
  const [from, to] = [await publishSet(context, place, before), await publishSet(context, place, after)]
  const session = { db, secrets, publicUrl, userId: user.id, email: user.email, minutes: 60 }
  return { from, to, bearer: await signOperatorSession(session) }
}

async function publishSet(
  context: Context,
  place: { orgId: string; projectId: string; slug: string },
  episodes: readonly Generated[],
): Promise<string> {
  const tasks = Array.from({ length: 50 }, (_, task) => `put object number ${task} into the box`)
  const lengths = episodes.map(({ length }) => length)
  const model = generateModel(lengths, (index) => [episodes[index]?.task ?? 0], tasks)
  const { revisionId } = await publishModel(context, place, model)
  const digests = (of: (episode: Generated) => string): Uint8Array => {
    const bytes = new Uint8Array(episodes.length * digestBytes)
    for (const [index, episode] of episodes.entries())
      bytes.set(createHash('sha256').update(of(episode)).digest().subarray(0, digestBytes), index * digestBytes)
    return bytes
  }
  const set: FingerprintSet = {
    fps: 30,
    features,
    lengthFrames: Uint32Array.from(lengths),
    contents: features.map(({ name }, feature) =>
      digests(({ recording, from, length, edition }) => [name, recording, from, length, edition[feature]].join()),
    ),
    labels: digests(({ task }) => tasks[task] ?? ''),
  }
  const run = { id: revisionId, epoch: 0 }
  const stage = async (file: string, body: AsyncIterable<Uint8Array>) => ({
    logicalPath: `${fingerprintsFolder}/${file}`,
    ...(await stageBlob(context.storage, run, body)),
  })
  const entries = [await stage(fingerprintFile, one(encodeFingerprints(set))), await stage(frameFile, draw(episodes))]
  await inTransaction(context.db, (trx) =>
    publishBlobs(trx, { kind: 'revision', id: revisionId, orgId: place.orgId }, entries),
  )
  return revisionId
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* draw(episodes: readonly Generated[]): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < episodes.length; start += 1000) {
    const some = episodes.slice(start, start + 1000)
    const numbers = new Uint32Array(some.reduce((sum, { length }) => sum + 2 * length, 0))
    let at = 0
    for (const { recording, from, length, edition } of some)
      for (let frame = from; frame < from + length; frame++) {
        const hash = Math.imul(recording * 1009 + frame + 1, 0x9e3779b1)
        numbers[at++] = hash + (edition[1] ?? 0)
        numbers[at++] = hash
      }
    yield new Uint8Array(numbers.buffer)
  }
}
