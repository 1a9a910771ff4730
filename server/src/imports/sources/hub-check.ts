import { isObject, type JsonValue } from '@nmp/formats/json'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { parseBeside } from '../../http/bodies/json-thread.ts'
import { openHubClient } from './hub-client.ts'
import { findHubRevision, listHubFiles } from './hub-listing.ts'
import { gated } from './hub-refusals.ts'
import { openHubFile } from './huggingface.ts'
import { readWhole } from './response-body.ts'
import { readRemoteFile } from './resumable-read.ts'
import type { HuggingFaceRequest } from './source.ts'
import { transferLimits } from './transfer-limits.ts'

/** What a person wants to know of a repository before importing it. */
export interface RepositoryCheck {
  exists: boolean
  private: boolean
  gated: boolean
  /** The commit that an import would pin. */
  revision: string | null
  /** Of LeRobot, from meta/info.json; null when it is no LeRobot dataset. */
  codebaseVersion: string | null
  totalBytes: number | null
  fileCount: number | null
  sentence: string
}

const maxInfoBytes = 16 * 2 ** 20
const infoBounds = { mostDepth: 64, mostValues: 200_000 }
/** A person waits for the answer: fewer tries than an import makes, and shorter waits. */
const checkLimits = { ...transferLimits, attempts: 3, longestWaitMs: 3000, idleMs: 10_000 }

/** Refusals are part of the answer; only a hub that cannot be reached, or a request that makes no sense, is an error. */
export const checkRepository = async (
  context: Pick<Context, 'config'>,
  request: Omit<HuggingFaceRequest, 'kind'>,
  signal: AbortSignal,
  limits = checkLimits,
): Promise<RepositoryCheck> => {
  const none = {
    exists: false,
    private: false,
    gated: false,
    revision: null,
    codebaseVersion: null,
    totalBytes: null,
    fileCount: null,
  }
  const hub = openHubClient(context, request, signal, limits)
  const found = await findHubRevision(hub, request.revision).catch((error) => explain(error))
  if ('refusal' in found) return { ...none, ...found.known, sentence: found.refusal }
  const facts = { exists: true, private: found.isPrivate, gated: found.isGated, revision: found.commit }
  const bounds = { maxFiles: limits.maxFiles, maxBytes: context.config.NMP_SOURCE_MAX_BYTES }
  const files = await listHubFiles(hub, request.repoId, found.commit, bounds).catch((error) => explain(error))
  if ('refusal' in files) return { ...none, ...facts, ...files.known, sentence: files.refusal }
  const totals = {
    fileCount: files.length,
    totalBytes: files.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
  }
  const info = files.find(({ path, sizeBytes }) => path === 'meta/info.json' && (sizeBytes ?? 0) <= maxInfoBytes)
  const version = info
    ? await readWhole(
        readRemoteFile(openHubFile(hub, found.commit, info), limits, signal),
        maxInfoBytes,
        'meta/info.json is too large.',
      )
        .then(findCodebaseVersion)
        .catch((error) => explain(error))
    : null
  if (version !== null && typeof version === 'object')
    return { ...none, ...facts, ...totals, ...version.known, sentence: version.refusal }
  return {
    ...facts,
    ...totals,
    codebaseVersion: version,
    sentence: describe(
      request.repoId,
      version,
      files.map(({ path }) => path),
    ),
  }
}

interface Refusal {
  refusal: string
  known: { gated?: true; exists?: true }
}

const explain = (error: unknown): Refusal => {
  if (!(error instanceof ServiceError) || error.code === 'source_unavailable') throw error
  return { refusal: error.message, known: error.cause === gated ? { gated: true, exists: true } : {} }
}

/** Anybody can have such a file at a hub: it is parsed where nobody waits for it. */
async function findCodebaseVersion(text: Buffer): Promise<string | null> {
  const parsed = await parseBeside(new Uint8Array(text), infoBounds)
  const info = parsed.kind === 'value' ? (parsed.value as JsonValue) : null
  const version = isObject(info) ? info.codebase_version : null
  return typeof version === 'string' && version.length <= 20 ? version : null
}

const describe = (repoId: string, version: string | null, paths: string[]): string => {
  if (version !== null) return `${repoId} is a LeRobot dataset of version ${version}.`
  if (paths.some((path) => /\.(hdf5|h5|hdf)$/i.test(path))) return `${repoId} contains HDF5 files.`
  if (paths.some((path) => /\.(tar|tar\.gz|tgz|zip)$/i.test(path)))
    return `${repoId} contains archives, which the import unpacks.`
  return `${repoId} contains neither a LeRobot dataset (meta/info.json) nor HDF5 files, so an import would fail.`
}
