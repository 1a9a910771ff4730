import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { inTransaction } from '../src/db/database.ts'
import { importOwner } from '../src/imports/owners.ts'
import type { ImportJob } from '../src/imports/record.ts'
import { writeReport } from '../src/imports/report/report.ts'
import { createStaging } from '../src/imports/run/staging.ts'
import { publishBlobs } from '../src/storage/blobs.ts'
import type { TestProgram } from './program.ts'
import { waitUntil } from './wait-until.ts'

/** A program that can be asked over HTTP, in this process or another. */
type Asked = Pick<TestProgram, 'url' | 'call'>

interface FixtureImport {
  org: string
  project: string
  slug: string
  /** A dataset's folder, or one file. */
  folder: string
  /** Default: `lerobot` for a folder with meta/info.json, else `hdf5`. */
  sourceKind?: 'lerobot' | 'hdf5'
  options?: Record<string, unknown>
}

/** Uploads a local folder, imports it, and waits for its end. A worker must run: `program.startWorker()`. */
export async function importFixture(program: Asked, bearer: string, input: FixtureImport): Promise<ImportJob> {
  const created = await createFixtureImport(program, bearer, input)
  const job = await waitForImport(program, bearer, input, created.id)
  if (job.status !== 'succeeded') throw new Error(`import ${input.slug} ${job.status}: ${job.error_message}`)
  return job
}

/** The same without waiting. */
export async function createFixtureImport(program: Asked, bearer: string, input: FixtureImport): Promise<ImportJob> {
  const { org, project, slug, folder } = input
  const files = await listFiles(folder)
  const isLeRobot = files.some((file) => file.endsWith('meta/info.json'))
  const uploadIds: string[] = []
  for (const file of files) {
    const name = file === folder ? basename(file) : relative(folder, file)
    uploadIds.push(await uploadBytes(program, bearer, name, await readFile(file)))
  }
  const answer = await program.call('POST', `/api/v1/orgs/${org}/projects/${project}/imports`, {
    bearer,
    body: {
      source_kind: input.sourceKind ?? (isLeRobot ? 'lerobot' : 'hdf5'),
      dataset_slug: slug,
      upload_ids: uploadIds,
      ...(input.options ? { options: input.options } : {}),
    },
  })
  if (answer.status !== 201) throw new Error(`import ${slug}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.item
}

/** Until the import is final. */
export async function waitForImport(
  program: Asked,
  bearer: string,
  { org, project }: { org: string; project: string },
  importId: string,
  seconds = 120,
): Promise<ImportJob> {
  const path = `/api/v1/orgs/${org}/projects/${project}/imports/${importId}`
  let seen: unknown
  const ask = async (): Promise<ImportJob | undefined> => {
    const { body } = await program.call('GET', path, { bearer })
    seen = body
    return ['succeeded', 'failed', 'canceled'].includes(body.item?.status) ? body.item : undefined
  }
  return waitUntil(ask, { seconds, describe: () => `import ${importId} does not end: ${JSON.stringify(seen)}` })
}

async function listFiles(folder: string): Promise<string[]> {
  if ((await stat(folder)).isFile()) return [folder]
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** One file by tus; its upload id. */
export async function uploadBytes(
  { url }: Pick<Asked, 'url'>,
  bearer: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const headers = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
  const created = await fetch(`${url}/api/v1/uploads`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    },
  })
  if (created.status !== 201) throw new Error(`upload of ${name}: ${created.status} ${await created.text()}`)
  const location = new URL(created.headers.get('location') ?? '', `${url}/api/v1/uploads`)
  if (bytes.length > 0) {
    const sent = await fetch(location, {
      method: 'PATCH',
      headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: bytes,
    })
    if (sent.status !== 204) throw new Error(`upload of ${name}: ${sent.status} ${await sent.text()}`)
  }
  return location.pathname.split('/').at(-1) ?? ''
}

/** A report and a preview for an import that no worker has run; its id. */
export async function addImportResults({ context }: TestProgram, orgId: string, importId: string): Promise<string> {
  const { db, storage } = context
  const report = writeReport({
    importId,
    sourceKind: 'lerobot',
    sourceUri: null,
    sourceRevision: null,
    files: [],
    origin: null,
    findings: [],
    episodes: [],
    episodeCount: 0,
    frameCount: 0,
    result: null,
    failure: null,
  })
  const staging = createStaging(storage, { id: importId, epoch: 0 })
  const stored = await staging.stageBytes(Buffer.from(JSON.stringify(report)))
  const picture = { path: `imports/${importId}/previews/a.png`, label: 'a', size_bytes: 1, sha256: stored.sha256 }
  const asset = { kind: 'image_preview', content_type: 'image/png', metadata: {}, ...picture }
  await inTransaction(db, async (trx) => {
    await publishBlobs(trx, importOwner(importId, orgId), [
      { logicalPath: 'report.json', ...stored },
      { logicalPath: 'previews/a.png', ...stored },
    ])
    const results = { has_report: true, preview_assets: JSON.stringify([asset]) }
    await trx.updateTable('imports').set(results).where('id', '=', importId).execute()
  })
  return importId
}
