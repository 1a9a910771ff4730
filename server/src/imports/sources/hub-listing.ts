import { ServiceError } from '../../errors.ts'
import { createNameGuard } from './file-names.ts'
import type { HubClient } from './hub-client.ts'
import type { SourceFile } from './source.ts'

export interface HubRevision {
  commit: string
  isPrivate: boolean
  isGated: boolean
}

type Fields = Record<string, unknown>

const asFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const strange = (hub: HubClient, what: string): ServiceError =>
  new ServiceError('source_invalid', `${hub.host} does not answer like a Hugging Face Hub: ${what}.`)

/** The commit that a branch, tag or commit stands for now: everything after is asked of that commit. */
export const findHubRevision = async (hub: HubClient, revision: string | null): Promise<HubRevision> => {
  const fields = asFields((await hub.getJson(hub.locate('api', 'revision', revision ?? 'main'))).value)
  const commit = fields?.sha
  if (typeof commit !== 'string' || !/^[0-9a-f]{40}$/.test(commit)) throw strange(hub, 'a revision without a commit')
  return { commit, isPrivate: fields?.private === true, isGated: Boolean(fields?.gated) }
}

interface ListingBounds {
  maxFiles: number
  maxBytes: number
}

export const listHubFiles = async (
  hub: HubClient,
  repoId: string,
  commit: string,
  { maxFiles, maxBytes }: ListingBounds,
): Promise<SourceFile[]> => {
  const names = createNameGuard(repoId)
  const files: SourceFile[] = []
  let total = 0
  let page: URL | undefined = hub.locate('api', 'tree', commit)
  page.search = '?recursive=true&expand=false'
  const seen = new Set<string>()
  while (page) {
    if (seen.has(page.href)) throw strange(hub, 'a file list that leads back to itself')
    seen.add(page.href)
    const { value, next } = await hub.getJson(page)
    if (!Array.isArray(value)) throw strange(hub, 'a file list of an unknown form')
    if (value.length === 0 && next) throw strange(hub, 'a file list with an empty page in it')
    for (const entry of value) {
      const file = readEntry(hub, entry)
      if (!file) continue
      names.addFile(file.path)
      files.push(file)
      total += file.sizeBytes
      if (files.length > maxFiles)
        throw new ServiceError('source_too_large', `${repoId} has more than ${maxFiles} files.`)
      if (total > maxBytes)
        throw new ServiceError(
          'source_too_large',
          `${repoId} is larger than the ${maxBytes} bytes allowed in one import (NMP_SOURCE_MAX_BYTES).`,
        )
    }
    page = next
  }
  return files
}

/** Undefined for a folder. */
const readEntry = (hub: HubClient, entry: unknown): (SourceFile & { sizeBytes: number }) | undefined => {
  const fields = asFields(entry)
  if (fields?.type === 'directory') return undefined
  const { path, oid, size } = fields ?? {}
  if (fields?.type !== 'file' || typeof path !== 'string' || typeof oid !== 'string')
    throw strange(hub, 'an entry that is not a file')
  const lfs = asFields(fields.lfs)
  const sizeBytes = lfs?.size ?? size
  if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw strange(hub, 'a file without a size')
  if (!lfs) return { path, sizeBytes, sha256: null, gitSha1: oid }
  if (typeof lfs.oid !== 'string' || !/^[0-9a-f]{64}$/.test(lfs.oid))
    throw strange(hub, 'a large file without its hash')
  return { path, sizeBytes, sha256: lfs.oid }
}
