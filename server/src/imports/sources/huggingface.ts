import { type HubClient, openHubClient } from './hub-client.ts'
import { findHubRevision, listHubFiles } from './hub-listing.ts'
import type { RemoteFile } from './remote-file.ts'
import { requirePlainBody } from './response-body.ts'
import { readRemoteFile, requireSpan } from './resumable-read.ts'
import { isPassing } from './retries.ts'
import type { HuggingFaceRequest, OpenSource, SourceFile } from './source.ts'

/** How long the address that the hub sends us to is used for further parts: asking the hub for each would eat its rate limit. */
const storageAddressMs = 300_000

/** A dataset repository of the Hugging Face Hub, pinned to a commit. */
export const openHuggingFace: OpenSource<HuggingFaceRequest> = async (context, request, signal, limits) => {
  const hub = openHubClient(context, request, signal, limits)
  const { commit } = await findHubRevision(hub, request.revision)
  const maxBytes = context.config.NMP_SOURCE_MAX_BYTES
  const files = await listHubFiles(hub, request.repoId, commit, { maxFiles: limits.maxFiles, maxBytes })
  return {
    revision: commit,
    uri: `hf://datasets/${request.repoId}@${commit}`,
    files,
    read: (file, during) => readRemoteFile(openHubFile(hub, commit, file), limits, during),
  }
}

/** Large files are at another host, LFS and Xet alike: the hub redirects there, to an address that is good for a while. */
export const openHubFile = (hub: HubClient, commit: string, file: SourceFile): RemoteFile => {
  const start = hub.locate('files', 'resolve', commit, ...file.path.split('/'))
  let storage: { address: URL; until: number } | undefined
  const remote: RemoteFile = {
    file,
    host: hub.host,
    canResume: () => true,
    async open(range, signal) {
      const headers: Record<string, string> = range
        ? { range: `bytes=${range.from}-${range.to === undefined ? '' : range.to - 1}` }
        : {}
      const known = storage && storage.until > Date.now() ? storage : undefined
      const answer = await hub.open(known?.address ?? start, headers, signal).catch((error) => {
        storage = undefined
        // An address that expired says nothing about the file.
        if (!known || isPassing(error) || signal.aborted) throw error
        return hub.open(start, headers, signal)
      })
      const { address } = answer
      if (address.origin !== start.origin && address.href !== known?.address.href)
        storage = { address, until: Date.now() + storageAddressMs }
      requirePlainBody(answer.response, hub.host)
      requireSpan(answer.response, range, remote)
      return answer.response
    },
  }
  return remote
}
