import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { recordAudit } from '../audit/service.ts'
import { type ArchiveWriter, createArchive } from '../backups/archive.ts'
import { readBackupKey } from '../backups/key-file.ts'
import { seal } from '../backups/sealed.ts'
import { ServiceError } from '../errors.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { ObjectHead, ObjectStorage } from '../storage/storage.ts'
import {
  describeCopy,
  findSchemaVersion,
  inLongSession,
  listSequences,
  listTables,
  lockTables,
  type TableShape,
} from './backup-catalog.ts'
import {
  createManifest,
  type Manifest,
  manifestName,
  type ObjectLine,
  objectListName,
  objectPrefix,
  sealedFileName,
  tablePrefix,
} from './backup-manifest.ts'
import type { AdminCommand } from './command.ts'
import { listStoredObjects } from './stored-objects.ts'

export const backup: AdminCommand = {
  name: ['backup'],
  positionals: ['FILE'],
  options: { objects: { type: 'boolean', default: false }, key: { type: 'string' } },
  optionUsage: ['[--objects]', '[--key KEYFILE]'],
  about:
    'Write the database and a list of the objects, with --objects the objects too, to one tar file; with --key it is encrypted.',
  async run({ db, pool, config }, [file = ''], { objects, key: keyFile }) {
    const withObjects = objects === true
    const key = typeof keyFile === 'string' ? await readBackupKey(keyFile) : undefined
    const storage = await openStorage(describeStorage(config, '', ''))
    const archive = await createArchive(resolve(file), key && ((tar) => seal(key.bytes, sealedFileName, tar)))
    try {
      const manifest = await inLongSession(pool, (client) => copyTables(client, archive.scratchFolder, withObjects))
      await addJson(archive, manifestName, manifest)
      for (const { name } of manifest.tables)
        await archive.addFile(`${tablePrefix}${name}.copy`, scratchPath(archive, name))
      // After the snapshot: an object is written before the row that needs it, so none that the rows need is missing here.
      const stored = await addObjects(pool, storage, archive, withObjects)
      await archive.finish()
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      await recordAudit(db, 'operator', {
        action: 'backup.create',
        resource: { kind: 'database', id: manifest.store_id ?? 'database' },
        detail: { rows, objects: stored.count, with_objects: withObjects },
      })
      return `${file}: ${manifest.tables.length} tables with ${rows} rows; ${stored.count} objects of ${stored.bytes} bytes, ${withObjects ? 'in the file' : 'listed only (--objects puts them in)'}`
    } finally {
      await archive.close()
      await storage.close()
    }
  },
}

/** Every table as of one moment, each into a file, while clients go on writing. */
async function copyTables(client: pg.PoolClient, folder: string, withObjects: boolean): Promise<Manifest> {
  await client.query('begin isolation level repeatable read read only')
  const shapes = await listTables(client)
  await lockTables(client, shapes, 'access share')
  const tables = []
  for (const shape of shapes) tables.push({ ...shape, rows: await copyTable(client, shape, join(folder, shape.name)) })
  const manifest = createManifest({
    schema_version: await findSchemaVersion(client),
    store_id: await findStoreId(client, shapes),
    with_objects: withObjects,
    tables,
    sequences: await listSequences(client),
  })
  await client.query('commit')
  return manifest
}

async function copyTable(client: pg.PoolClient, shape: TableShape, path: string): Promise<number> {
  const rows = client.query(copyTo(`${describeCopy(client, shape)} to stdout`))
  await pipeline(rows, createWriteStream(path, { mode: 0o600 }))
  // The number of rows comes after the last of them; whatever is asked next is answered after that.
  await client.query('select')
  return rows.rowCount
}

async function findStoreId(client: pg.PoolClient, tables: readonly TableShape[]): Promise<string | null> {
  if (!tables.some(({ name }) => name === 'object_store')) return null
  const { rows } = await client.query<{ store_id: string }>('select store_id from object_store')
  return rows[0]?.store_id ?? null
}

async function addObjects(
  pool: pg.Pool,
  storage: ObjectStorage,
  archive: ArchiveWriter,
  withObjects: boolean,
): Promise<{ count: number; bytes: number }> {
  const list = await open(scratchPath(archive, objectListName), 'w', 0o600)
  const total = { count: 0, bytes: 0 }
  try {
    for await (const batch of listStoredObjects(pool, storage)) {
      for (const stored of batch) {
        const sha256 = withObjects ? await addObject(storage, archive, stored) : stored.sha256
        if (sha256 === undefined) continue
        const line: ObjectLine = { key: stored.key, size_bytes: stored.sizeBytes, etag: stored.etag, sha256 }
        await list.write(`${JSON.stringify(line)}\n`)
        total.count += 1
        total.bytes += stored.sizeBytes
      }
    }
  } finally {
    await list.close()
  }
  await archive.addFile(objectListName, scratchPath(archive, objectListName))
  return total
}

/** Undefined when it was collected since it was listed: nobody has needed it for a day. */
async function addObject(
  storage: ObjectStorage,
  archive: ArchiveWriter,
  head: ObjectHead,
): Promise<string | undefined> {
  const opened = await storage.getObject(head.key).catch((error) => {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  })
  return opened && archive.addStream(`${objectPrefix}${head.key}`, opened.head.sizeBytes, opened.body)
}

const scratchPath = (archive: ArchiveWriter, name: string): string => join(archive.scratchFolder, name)

async function addJson(archive: ArchiveWriter, name: string, value: unknown): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)
  await archive.addStream(name, bytes.length, Readable.from([bytes]))
}
