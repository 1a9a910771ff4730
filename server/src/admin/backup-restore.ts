import { access, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { recordAudit } from '../audit/service.ts'
import { type ArchiveEntry, readArchive } from '../backups/archive.ts'
import { readBackupKey } from '../backups/key-file.ts'
import { isSealed, unseal } from '../backups/sealed.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { describeCopy, findSchemaVersion, inLongSession, listTables } from './backup-catalog.ts'
import {
  type Manifest,
  objectListName,
  objectPrefix,
  readManifest,
  sealedFileName,
  tablePrefix,
} from './backup-manifest.ts'
import type { AdminCommand } from './command.ts'
import { fillEmptyDatabase, requireEmpty } from './empty-database.ts'
import { requireFittingStore } from './fitting-store.ts'

const remedy = 'a backup can only be restored into a new one. Set a new NMP_DATA_DIR or NMP_DATABASE_URL.'

interface Restored {
  manifest: Manifest
  rows: number
  objects: number
  objectBytes: number
}

export const restore: AdminCommand = {
  name: ['restore'],
  positionals: ['FILE'],
  options: { objects: { type: 'boolean', default: false }, key: { type: 'string' } },
  optionUsage: ['[--objects]', '[--key KEYFILE]'],
  about: 'Restore a backup into an empty database, with --objects including its objects. Stop the program first.',
  async run({ db, pool, config }, [file = ''], { objects, key }) {
    const path = resolve(file)
    await access(path).catch(() => {
      throw new Error(`There is no file ${path}.`)
    })
    const read = await chooseReader(path, typeof key === 'string' ? key : config.NMP_BACKUP_KEY_FILE)
    const storage = objects === true ? await openStorage(describeStorage(config, '', '')) : undefined
    try {
      const restored = await inLongSession(pool, (client) => restoreAll(client, read, storage))
      const { manifest, rows } = restored
      await recordAudit(db, 'operator', {
        action: 'backup.restore',
        resource: { kind: 'database', id: manifest.store_id ?? 'database' },
        detail: { created_at: manifest.created_at, rows, objects: restored.objects },
      })
      return `restored ${manifest.tables.length} tables with ${rows} rows, as of ${manifest.created_at}; ${describeObjects(restored, storage !== undefined)}`
    } finally {
      await storage?.close()
    }
  },
}

const describeObjects = ({ manifest, objects, objectBytes }: Restored, wereAsked: boolean): string => {
  if (wereAsked) return `${objects} objects of ${objectBytes} bytes`
  return manifest.with_objects
    ? 'its objects were not restored (add --objects)'
    : 'it contains no objects: restore the object store separately'
}

/** Gives the entries of the file in order. */
type ReadFile = (see: (entry: ArchiveEntry) => Promise<void>) => Promise<void>

async function chooseReader(path: string, keyFile: string | undefined): Promise<ReadFile> {
  const file = await open(path, 'r')
  const { buffer } = await file.read(Buffer.alloc(32), 0, 32, 0).finally(() => file.close())
  if (!isSealed(buffer)) return (see) => readArchive(path, see)
  const key = await readBackupKey(keyFile)
  return (see) => readArchive(path, see, (bytes) => unseal(key.bytes, sealedFileName, bytes))
}

/** Refuses first whatever can be refused; then the whole file is read once for its checksums, before anything is changed by it. */
async function restoreAll(
  client: pg.PoolClient,
  read: ReadFile,
  storage: ObjectStorage | undefined,
): Promise<Restored> {
  const tables = await listTables(client)
  await requireEmpty(client, tables, remedy)
  const manifest = await verifyFile(read, async (found) => {
    requireSameSchema(found, await findSchemaVersion(client), tables)
    if (storage) await requireFittingObjects(found, storage)
  })

  const restored: Restored = { manifest, rows: 0, objects: 0, objectBytes: 0 }
  await fillEmptyDatabase(client, tables, remedy, async () => {
    await read(async (entry) => {
      if (entry.name.startsWith(tablePrefix)) restored.rows += await loadTable(client, manifest, entry)
      else if (storage && entry.name.startsWith(objectPrefix)) {
        await putObject(storage, entry)
        restored.objects += 1
        restored.objectBytes += entry.sizeBytes
      }
    })
    return manifest.sequences
  })
  return restored
}

/** Reads every byte and changes nothing. `accept` sees the manifest before the rest is read. */
async function verifyFile(read: ReadFile, accept: (manifest: Manifest) => Promise<void>): Promise<Manifest> {
  let manifest: Manifest | undefined
  const found: string[] = []
  await read(async ({ name, sizeBytes, body }) => {
    if (manifest) {
      if (!name.startsWith(objectPrefix)) found.push(name)
      return
    }
    manifest = await readManifest(name, sizeBytes, body)
    await accept(manifest)
  })
  const expected = [...(manifest?.tables ?? []).map(({ name }) => `${tablePrefix}${name}.copy`), objectListName]
  if (!manifest || found.join('\n') !== expected.join('\n'))
    throw new Error('The file does not hold the tables that its manifest names. Nothing was changed.')
  return manifest
}

function requireSameSchema(
  manifest: Manifest,
  version: number,
  tables: readonly { name: string; columns: string[] }[],
): void {
  if (manifest.schema_version !== version)
    throw new Error(
      `The backup has schema version ${manifest.schema_version}, and this program makes ${version}. Restore it with nmp ${manifest.program_version}, which made it; then start this program, which brings it up to date. Nothing was changed.`,
    )
  const describe = (shapes: readonly { name: string; columns: string[] }[]): string[] =>
    shapes.map(({ name, columns }) => `${name} (${[...columns].sort().join(', ')})`).sort()
  const [theirs, ours] = [describe(manifest.tables), describe(tables)]
  const odd = theirs.find((shape) => !ours.includes(shape)) ?? ours.find((shape) => !theirs.includes(shape))
  if (odd !== undefined)
    throw new Error(`The backup and this database have different tables: only one has ${odd}. Nothing was changed.`)
}

async function requireFittingObjects(manifest: Manifest, storage: ObjectStorage): Promise<void> {
  if (!manifest.with_objects)
    throw new Error('The backup was made without --objects, so there are none to restore. Nothing was changed.')
  await requireFittingStore(manifest.store_id, storage)
}

async function loadTable(client: pg.PoolClient, manifest: Manifest, { name, body }: ArchiveEntry): Promise<number> {
  const table = manifest.tables.find((candidate) => name === `${tablePrefix}${candidate.name}.copy`)
  if (!table) throw new Error(`The manifest does not list ${name}.`)
  const rows = client.query(copyFrom(`${describeCopy(client, table)} from stdin`))
  await pipeline(Readable.from(body, { objectMode: false }), rows)
  if (rows.rowCount !== table.rows)
    throw new Error(`${table.name} came to ${rows.rowCount} rows instead of ${table.rows}. Nothing was changed.`)
  return rows.rowCount
}

async function putObject(storage: ObjectStorage, { name, sizeBytes, body }: ArchiveEntry): Promise<void> {
  const key = name.slice(objectPrefix.length)
  const written = await storage.putObject(key, body, { sizeHintBytes: sizeBytes })
  if (written.sizeBytes !== sizeBytes)
    throw new Error(`The object ${key} came to ${written.sizeBytes} bytes instead of ${sizeBytes}.`)
}
