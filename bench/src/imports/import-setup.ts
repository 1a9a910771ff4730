import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createApp } from '../../../server/src/app.ts'
import { loadConfig } from '../../../server/src/config.ts'
import { inTransaction, openDatabase } from '../../../server/src/db/database.ts'
import { openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../../server/src/db/migrations.ts'
import { createImportFromBlobs } from '../../../server/src/imports/service.ts'
import { createProject } from '../../../server/src/organizations/projects/service.ts'
import { createOrg } from '../../../server/src/organizations/service.ts'
import { type PublishedEntry, publishBlobs, stageBlob } from '../../../server/src/storage/blobs.ts'
import { testSecretKey } from '../../../server/test/secret-key.ts'

/** Contents that are in the store and held there, as finished uploads are. */
export interface StoredSource {
  kind: 'lerobot' | 'hdf5'
  files: { path: string; sha256: string; sizeBytes: number }[]
}

/** As every script of ours is started. */
const preload = join(import.meta.dirname, '../../../require-node-24.mjs')

interface WorkerSettings {
  leaseSeconds: number
  concurrency: number
}

/** The program's parts with a database of their own and worker processes to kill: for the bench and the campaign of imports. */
export async function openImportSetup() {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-imports-'))
  const log = pino({ level: 'silent' })
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const { connection } = postgres
  const { db, pool, close } = openDatabase({ connection, log })
  await migrateDatabase(pool)
  const config = loadConfig({
    NMP_DATA_DIR: folder,
    NMP_SECRET_KEY: testSecretKey,
    NMP_ROLE: 'worker',
    NMP_LOG_LEVEL: 'silent',
  })
  const app = await createApp({ config, log, db, publicUrl: 'http://127.0.0.1' })
  const { context } = app
  const org = await createOrg(db, 'operator', { slug: 'setup', name: 'Setup' })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const workers = new Set<ChildProcess>()

  return {
    folder,
    context,
    /** Puts a local file or folder into the store, as uploads would. */
    async store(path: string, kind: StoredSource['kind'], name: string): Promise<StoredSource> {
      const entries: PublishedEntry[] = []
      for (const file of await listFiles(path)) {
        const blob = await stageBlob(context.storage, { id: `upl_${name}`, epoch: 0 }, createReadStream(file))
        entries.push({ logicalPath: file === path ? basename(path) : relative(path, file), ...blob })
      }
      await inTransaction(db, (trx) => publishBlobs(trx, { kind: 'upload', id: `upl_${name}` }, entries))
      return {
        kind,
        files: entries.map(({ logicalPath, sha256, sizeBytes }) => ({ path: logicalPath, sha256, sizeBytes })),
      }
    },
    async queue({ kind, files }: StoredSource, slug: string, nonce = slug): Promise<string> {
      const input = { orgId: org.id, projectId: project.id, slug, title: slug, sourceKind: kind, files }
      const { row } = await inTransaction(db, (trx) =>
        // An option that nobody reads makes each request another one: equal ones would take over the first one's result.
        createImportFromBlobs(trx, {
          ...input,
          createdBy: null,
          idempotencyKey: slug,
          options: { nonce } as object,
        }),
      )
      return row.id
    },
    async wait(id: string) {
      for (;;) {
        const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
        if (row.finished_at) return row
        await sleep(20)
      }
    },
    async startWorker({ leaseSeconds, concurrency }: WorkerSettings): Promise<ChildProcess> {
      const settings = {
        leaseSeconds,
        heartbeatSeconds: leaseSeconds / 5,
        sweepSeconds: leaseSeconds / 4,
        backoff: { baseSeconds: 0.2, capSeconds: 1 },
      }
      const options = JSON.stringify({ connection, dataFolder: folder, settings, concurrency })
      const entry = join(import.meta.dirname, '../../../server/test/job-worker.ts')
      const child = spawn(process.execPath, ['--import', preload, entry, options], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      workers.add(child)
      child.once('exit', () => workers.delete(child))
      await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
      return child
    },
    /** What `pg_ctl stop -m immediate` does; the supervisor starts it again. */
    async crashDatabase(): Promise<void> {
      const pid = postgres.findPid()
      if (pid === undefined) return
      process.kill(pid, 'SIGQUIT')
      while (postgres.findPid() === pid) await sleep(20)
      while (postgres.findPid() === undefined) await sleep(20)
    },
    async close(): Promise<void> {
      for (const child of workers) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await app.close()
      await close()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type ImportSetup = Awaited<ReturnType<typeof openImportSetup>>

export async function listFiles(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
