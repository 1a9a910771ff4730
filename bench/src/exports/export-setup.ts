import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createApp } from '../../../server/src/app.ts'
import { loadConfig } from '../../../server/src/config.ts'
import { inTransaction, openDatabase } from '../../../server/src/db/database.ts'
import { openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../../server/src/db/migrations.ts'
import { signOperatorSession } from '../../../server/src/identity/sessions.ts'
import { createUser } from '../../../server/src/identity/users/service.ts'
import { createProject } from '../../../server/src/organizations/projects/service.ts'
import { createOrg } from '../../../server/src/organizations/service.ts'
import { publishFolder } from '../../../server/test/published-dataset.ts'
import { testSecretKey } from '../../../server/test/secret-key.ts'

export interface StandWorker {
  child: ChildProcess
  /** Most memory its own process had so far, without the codec's processes. */
  readPeakMegabytes(): number
  /** As a machine that lost power: no goodbye. */
  kill(): Promise<void>
  /** When it has ended, by whomever. */
  gone: Promise<void>
}

export interface WorkerOptions {
  concurrency?: number
  /** The one processor it and its codec processes may use. */
  processor?: number
  leaseSeconds?: number
  /** It dies when one of its jobs says that it is in this phase. */
  dieAt?: string
}

export interface ExportJob {
  id: string
  status: string
  checksum_sha256: string | null
  error_message: string | null
}

/** The program with its database on this machine, and worker processes as many as one likes: for benches and campaigns of exports. */
export async function openExportSetup() {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-setup-'))
  const log = pino({ level: 'silent' })
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const { connection } = postgres
  const { db, pool, close } = openDatabase({ connection, log })
  await migrateDatabase(pool)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = loadConfig({
    NMP_DATA_DIR: folder,
    NMP_SECRET_KEY: testSecretKey,
    NMP_LOG_LEVEL: 'silent',
    NMP_RATE_LIMIT: '0',
  })
  const app = await createApp({ config, log, db, connection, publicUrl: url })
  server.on('request', app.handle)
  const user = await inTransaction(db, (trx) =>
    createUser(trx, 'operator', { email: 'bench@example.org', displayName: '' }),
  )
  const org = await createOrg(db, 'operator', { slug: 'setup', name: 'Setup', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const session = {
    db,
    secrets: app.context.secrets,
    publicUrl: url,
    userId: user.id,
    email: user.email,
    minutes: 24 * 60,
  }
  const bearer = await signOperatorSession(session)
  const workers: StandWorker[] = []
  const versionsPath = '/api/v1/orgs/setup/derived-dataset-versions'

  // biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const headers = { authorization: `Bearer ${bearer}`, ...(body ? { 'content-type': 'application/json' } : {}) }
    const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const json = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`)
    return json
  }

  return {
    folder,
    url,
    bearer,
    db,
    call,
    versionsPath,
    publish: async (source: string, slug: string): Promise<string> =>
      (await publishFolder(app.context, source, { orgId: org.id, projectId: project.id, slug })).datasetId,
    async derive(datasetId: string, recipe: object): Promise<string> {
      const source = { dataset_kind: 'project', dataset_id: datasetId }
      const body = { slug: 'version', name: 'Version', project_slug: 'lab', source, recipe }
      return (await call('POST', versionsPath, body)).item.id
    },
    async queue(versionId: string): Promise<string> {
      const { jobs } = await call('POST', `${versionsPath}/${versionId}/export-jobs`, { artifact_keys: ['lerobot'] })
      return jobs[0].id
    },
    async wait(versionId: string, jobId: string): Promise<ExportJob> {
      for (;;) {
        const { item } = await call('GET', `${versionsPath}/${versionId}/export-jobs/${jobId}`)
        if (['succeeded', 'failed', 'canceled'].includes(item.status)) return item
        await sleep(20)
      }
    },
    async startWorker({ concurrency = 1, processor, leaseSeconds, dieAt }: WorkerOptions = {}): Promise<StandWorker> {
      const settings = leaseSeconds
        ? {
            leaseSeconds,
            heartbeatSeconds: leaseSeconds / 5,
            sweepSeconds: 1,
            backoff: { baseSeconds: 0.2, capSeconds: 1 },
          }
        : {}
      const trap = dieAt && { phase: dieAt, signal: 'SIGKILL' }
      const options = JSON.stringify({ connection, dataFolder: folder, settings, concurrency, trap })
      const entry = join(import.meta.dirname, '../../../server/test/job-worker.ts')
      const command = [process.execPath, entry, options]
      const pinned = processor === undefined ? command : ['taskset', '-c', String(processor), ...command]
      const child = spawn(pinned[0] ?? '', pinned.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
      const gone = once(child, 'exit').then(() => undefined)
      const isUp = once(child.stdout ?? child, 'data').then(() => true)
      const works = await Promise.race([isUp, gone.then(() => false)])
      if (!works && !dieAt) throw new Error('a worker ended before it worked')
      const worker = {
        child,
        gone,
        readPeakMegabytes: () => {
          const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
          return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
        },
        kill: async () => {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGKILL')
          await once(child, 'exit')
        },
      }
      workers.push(worker)
      return worker
    },
    async close(): Promise<void> {
      for (const worker of workers) await worker.kill()
      server.closeAllConnections()
      server.close()
      await app.close()
      await close()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type ExportSetup = Awaited<ReturnType<typeof openExportSetup>>
