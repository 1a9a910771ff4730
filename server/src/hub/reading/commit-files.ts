import { setImmediate } from 'node:timers/promises'
import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Context } from '../../context.ts'
import { findReadme } from '../../datasets/refresh-shown.ts'
import { listRevisionFiles } from '../../datasets/service.ts'
import { listStoredFiles } from '../../datasets/stored-files.ts'
import { ServiceError } from '../../errors.ts'
import { artifactOwner } from '../../versions/owners.ts'
import { listTreeFiles } from '../commits/repository.ts'
import { attributesPath, readLargeFileRules } from '../git/git-attributes.ts'
import { describePointer, hashGitBlob, isLargeFile } from '../git/git-object.ts'
import { listPushedObjects } from '../push/pushes.ts'
import { readRules } from '../push/upload-rules.ts'
import type { Commit } from '../repositories/repositories.ts'
import { writeDatasetCard } from './dataset-card.ts'

/** A file of a commit. One of a few that nobody stored has its bytes here. */
export interface HubFile {
  path: string
  sizeBytes: number
  sha256: string
  isLarge: boolean
  /** Of a pushed tree: the commit of its push that brought the file. */
  added?: number
  storeKey?: string
  bytes?: Uint8Array
}

const missingObject = (path: string, commit: string): never => {
  throw new ServiceError('not_found', `${path} of the commit ${commit} is no longer stored. Read a newer commit.`)
}

const artifactPrefix = 'files/'
const cardPath = 'README.md'
/** Commits whose files are remembered, and their files together: some 300 bytes each. */
const mostRemembered = { commits: 64, files: 200_000 }

/** Lists the files of commits, by path. A commit never changes, so what was listed once is remembered. */
export function createFileLists(context: Context) {
  const known = new Map<string, Promise<readonly HubFile[]>>()
  const sizes = new Map<string, number>()

  const forgetOldest = (): void => {
    const total = () => [...sizes.values()].reduce((sum, count) => sum + count, 0)
    while (known.size > mostRemembered.commits || (total() > mostRemembered.files && known.size > 1)) {
      const oldest = known.keys().next().value as string
      known.delete(oldest)
      sizes.delete(oldest)
    }
  }

  /** Of a version only once it is made: see `waitForFiles`. */
  return function listFiles(commit: Commit): Promise<readonly HubFile[]> {
    const key = nameOf(commit)
    const listed = known.get(key) ?? readFiles(context, commit)
    known.delete(key)
    known.set(key, listed)
    listed.then(
      (files) => {
        sizes.set(key, files.length)
        forgetOldest()
      },
      () => known.delete(key),
    )
    return listed
  }
}

export type ListFiles = ReturnType<typeof createFileLists>

const indexes = new WeakMap<readonly HubFile[], ReadonlyMap<string, HubFile>>()

/** By path; the index of a list that is remembered is made once. */
export function findFile(files: readonly HubFile[], path: string): HubFile | undefined {
  const index = indexes.get(files) ?? new Map(files.map((file) => [file.path, file]))
  indexes.set(files, index)
  return index.get(path)
}

const nameOf = ({ id, content }: Commit): string => {
  if (content.kind === 'push') return `${id} ${content.push.id} ${content.number}`
  return `${id} ${content.kind === 'revision' ? content.revisionId : content.version.id}`
}

async function readFiles(context: Context, commit: Commit): Promise<readonly HubFile[]> {
  const files = await listStored(context, commit)
  const attributes = files.find(({ path }) => path === attributesPath)
  const rules = readLargeFileRules(
    attributes?.storeKey ? await readRules(context, { ...attributes, storeKey: attributes.storeKey }) : '',
    files.length,
  )
  const described: HubFile[] = []
  for (const [index, file] of files.entries()) {
    // Patterns and paths may be hostile: others are answered in between.
    if (index % 1000 === 999) await setImmediate()
    described.push({ ...file, isLarge: !file.bytes && isLargeFile(file.path, file.sizeBytes, rules) })
  }
  return described
}

type StoredHubFile = Omit<HubFile, 'isLarge'>

async function listStored({ db }: Context, { id, content }: Commit): Promise<StoredHubFile[]> {
  const files: StoredHubFile[] = []
  const add = (path: string, sizeBytes: number, sha256: string, storeKey: string) =>
    files.push({ path, sizeBytes, sha256, storeKey })
  if (content.kind === 'push') {
    const { push, number } = content
    const objects = await listPushedObjects(db, push)
    for (const { path, sizeBytes, sha256, added } of await listTreeFiles(db, push.id, number)) {
      const { storeKey } = objects.get(sha256) ?? missingObject(path, id)
      files.push({ path, sizeBytes, sha256, storeKey, added })
    }
    return files
  }
  if (content.kind === 'revision') {
    for await (const { path, sizeBytes, sha256, storeKey } of listRevisionFiles(db, content.revisionId, content.orgId))
      add(path, sizeBytes, sha256, storeKey)
  } else {
    const owner = artifactOwner(content.version.id, content.version.orgId)
    for await (const { path, sizeBytes, sha256, storeKey } of listStoredFiles(db, { owner, prefix: artifactPrefix }))
      add(path, sizeBytes, sha256, storeKey)
  }
  const card = await findKeptCard(db, content)
  const others = card ? files.filter(({ path }) => path !== cardPath) : files
  if (others.every(({ path }) => path !== cardPath)) others.push(card ?? describeCard(content))
  return others.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** The card of the dataset, which stands before one that its files may hold. */
async function findKeptCard(db: Context['db'], content: Commit['content']): Promise<StoredHubFile | undefined> {
  if (content.kind !== 'revision' || content.readmeSha256 === null) return undefined
  const readme = await findReadme(db, content.datasetId, content.readmeSha256)
  return readme === undefined ? undefined : toCardFile(Buffer.from(readme))
}

const describeCard = (content: Commit['content']): StoredHubFile =>
  toCardFile(writeDatasetCard(content.kind === 'revision' ? content.summary : undefined))

const toCardFile = (bytes: Uint8Array): StoredHubFile => ({
  path: cardPath,
  sizeBytes: bytes.byteLength,
  sha256: '',
  bytes,
})

const mostOids = 50_000

/** The git names of small files need their bytes, which are read once. */
export function createGitNames({ storage }: Context) {
  const known = new BoundedMap<string, string>(mostOids)
  return async function nameFile({ sizeBytes, sha256, isLarge, storeKey, bytes }: HubFile): Promise<string> {
    if (isLarge) return describePointer(sha256, sizeBytes).oid
    if (bytes) return hashGitBlob(bytes)
    const found = known.get(sha256)
    if (found) return found
    const { body } = await storage.getObject(storeKey ?? '')
    const oid = hashGitBlob(Buffer.concat(await body.toArray()))
    known.set(sha256, oid)
    return oid
  }
}

export type NameFile = ReturnType<typeof createGitNames>
