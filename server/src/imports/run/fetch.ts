import { mapAtMost } from '@nmp/formats/limiter'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { JobRun } from '../../jobs/handler.ts'
import { stageBlob } from '../../storage/blobs.ts'
import { layOutAhead } from '../../storage/local-tree.ts'
import { quotaOf, requireRoom } from '../../storage/quota.ts'
import { listImportUploads } from '../../uploads/service.ts'
import { takeVersionFiles } from '../copies/version-copy.ts'
import type { ProgressBoard } from '../progress.ts'
import * as repository from '../repository.ts'
import { openToken } from '../sealed-token.ts'
import { openSource } from '../sources/index.ts'
import type { OpenedSource, SourceFile, SourceRequest } from '../sources/source.ts'
import { writeFenced } from './write-fenced.ts'

/** A file of the source as it is stored. */
export interface RawFile {
  path: string
  sha256: string
  sizeBytes: number
  storeKey: string
  /** Written by this job and nobody's yet; the others are live contents. */
  isStaged: boolean
}

export interface Fetched {
  files: RawFile[]
  sourceUri: string | null
  revision: string | null
}

const filesAtATime = 4

/**
 * Brings the source's files into object storage, or finds that they are there, and lays them out as a folder. What was there is read and
 * hashed while they are worked on: nothing may come of them before `verified`.
 */
export async function fetchSource(
  context: Context,
  run: JobRun,
  row: repository.ImportRow,
  folder: string,
  board: ProgressBoard,
): Promise<{ fetched: Fetched; verified: Promise<void> }> {
  const fetched = await collectFiles(context, run, row, board)
  requireDistinct(fetched.files)
  const total = fetched.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let laidOut = 0
  const { verified } = await layOutAhead(context.storage, fetched.files, folder, {
    signal: run.signal,
    onBytes: (count) => {
      laidOut += count
      board.advance(laidOut, total, 'Reading the source from storage.')
    },
  })
  board.showBytes(total, total)
  return { fetched, verified }
}

async function collectFiles(
  context: Context,
  run: JobRun,
  row: repository.ImportRow,
  board: ProgressBoard,
): Promise<Fetched> {
  if (row.uploadIds.length > 0) {
    const uploads = await listImportUploads(context.db, row.id)
    const files = uploads.map((upload) => ({ ...upload, isStaged: false }))
    return { files, sourceUri: null, revision: null }
  }
  if (row.versionId) await takeVersionFiles(context, run, row)
  const request = await readRequest(context, row)
  if (request) return fetchRemote(context, run, row, request, board)
  const known = await repository.listImportFiles(context.db, row.id)
  return { files: known.map((file) => ({ ...toRaw(file), isStaged: false })), sourceUri: null, revision: null }
}

async function readRequest({ db, secrets }: Context, row: repository.ImportRow): Promise<SourceRequest | undefined> {
  if (row.hfRepoId) {
    const sealed = await repository.findSealedToken(db, row.id)
    const token = sealed && (await openToken(db, secrets, row.id, sealed))
    return { kind: 'huggingface', repoId: row.hfRepoId, revision: row.hfCommit ?? row.hfRevision, token }
  }
  return row.sourceUri ? { kind: 'url', url: row.sourceUri } : undefined
}

/** Each file is remembered when it is whole, so that a later attempt goes on where this one was stopped. */
async function fetchRemote(
  context: Context,
  run: JobRun,
  row: repository.ImportRow,
  request: SourceRequest,
  board: ProgressBoard,
): Promise<Fetched> {
  const source = await openSource(context, request, run.signal)
  await writeFenced(context, run, (trx) =>
    repository.updateSource(trx, row.id, { sourceUri: source.uri, hfCommit: source.revision }),
  )
  const known = new Map((await repository.listImportFiles(context.db, row.id)).map((file) => [file.path, toRaw(file)]))
  const totalBytes = sumSizes(source.files)
  // What is stored already counts once, so this may be too strict and never too lax.
  await requireRoom(context.db, quotaOf(context.config, run.job.orgId, 'source'), totalBytes ?? 0)
  let doneBytes = 0
  const show = (count: number): void => {
    doneBytes += count
    board.showBytes(doneBytes, totalBytes)
    board.advance(doneBytes, totalBytes, describeBytes(doneBytes, totalBytes))
  }
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  const files = await mapAtMost(filesAtATime, source.files, async (file) => {
    const stored = known.get(file.path)
    if (stored && isSame(file, stored)) {
      show(stored.sizeBytes)
      return stored
    }
    return fetchFile(context, run, source, file, { signal, show }).catch((error) => {
      // The others are stopped as well: an attempt that has failed must not go on writing.
      stop.abort(error)
      throw error
    })
  })
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
  return { files, sourceUri: source.uri, revision: source.revision }
}

async function fetchFile(
  context: Context,
  run: JobRun,
  source: OpenedSource,
  file: SourceFile,
  { signal, show }: { signal: AbortSignal; show: (count: number) => void },
): Promise<RawFile> {
  const { sha256, sizeBytes, storeKey } = await stageBlob(
    context.storage,
    run.claim,
    countBytes(source.read(file, signal), show),
    { signal, ...(file.sizeBytes === null ? {} : { expectedSizeBytes: file.sizeBytes }) },
  )
  await writeFenced(context, run, (trx) =>
    repository.insertImportFiles(trx, run.job.id, [{ path: file.path, sha256, sizeBytes, storeKey }]),
  )
  return { path: file.path, sha256, sizeBytes, storeKey, isStaged: true }
}

async function* countBytes(body: AsyncIterable<Uint8Array>, show: (count: number) => void) {
  for await (const chunk of body) {
    show(chunk.byteLength)
    yield chunk
  }
}

const toRaw = (file: repository.ImportFile): RawFile => ({
  path: file.path,
  sha256: file.sha256,
  sizeBytes: file.sizeBytes,
  storeKey: file.storeKey,
  isStaged: true,
})

const isSame = (announced: SourceFile, stored: RawFile): boolean =>
  (announced.sha256 ?? stored.sha256) === stored.sha256 &&
  (announced.sizeBytes ?? stored.sizeBytes) === stored.sizeBytes

const sumSizes = (files: readonly SourceFile[]): number | null =>
  files.some(({ sizeBytes }) => sizeBytes === null) ? null : files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0)

const describeBytes = (done: number, total: number | null): string =>
  `${(done / 1e6).toFixed(1)} ${total === null ? '' : `of ${(total / 1e6).toFixed(1)} `}MB are fetched.`

function requireDistinct(files: readonly RawFile[]): void {
  const seen = new Set<string>()
  for (const { path } of files) {
    if (seen.has(path))
      throw new ServiceError('invalid_path', `Two files of the source have the same path ${path}. Rename one.`)
    seen.add(path)
  }
  for (const path of seen) {
    const parents = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= parents.length; depth++) {
      const parent = parents.slice(0, depth).join('/')
      if (seen.has(parent))
        throw new ServiceError('invalid_path', `${parent} is both a file and a folder of the source.`)
    }
  }
}
