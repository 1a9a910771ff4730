import { replyWithBytes, replyWithObject } from '../../media/object-reply.ts'
import { writePointer } from '../git/git-object.ts'
import { entryNotFound, type HubAnswer } from '../hub-answer.ts'
import { type HubRequest, type HubRoute, hasty } from '../hub-request.ts'
import { openCommit } from '../repositories/branches.ts'
import { findFile, type HubFile } from './commit-files.ts'

export const resolveRoutes: readonly HubRoute[] = [
  {
    id: 'hub.getFile',
    method: 'GET',
    credentials: 'optional',
    address: /^\/datasets\/(?<org>[^/]+)\/(?<name>[^/]+)\/(?<form>resolve|raw)\/(?<revision>[^/]+)\/(?<path>.+)$/,
    handle: sendFile,
  },
]

/** One file of a commit: HEAD tells what it is, GET gives its bytes (or, where clients reach the bucket themselves, the way to them). */
async function sendFile(call: HubRequest): Promise<HubAnswer> {
  const { context, request, signal, params } = call
  const { commit } = await openCommit(call, params.revision ?? '', hasty(call))
  await call.waitForFiles(call.caller, commit, hasty(call))
  const path = params.path ?? ''
  const file = findFile(await call.listFiles(commit), path)
  const known = { 'x-repo-commit': commit.id, 'accept-ranges': 'bytes' }
  if (!file) {
    const missing = entryNotFound(path)
    Object.assign(missing.headers, known)
    throw missing
  }
  if (params.form === 'raw' && file.isLarge) return sendPointer(file, known)
  const etag = `"${file.isLarge ? file.sha256 : await call.nameFile(file)}"`
  const described = { ...known, etag, 'x-linked-etag': etag, 'x-linked-size': String(file.sizeBytes) }
  if (request.method === 'HEAD') {
    return {
      headers: { ...described, 'content-length': String(file.sizeBytes), 'content-type': 'application/octet-stream' },
    }
  }
  const headers = { range: headerOf(call, 'range'), 'if-range': headerOf(call, 'if-range') }
  const asked = { headers, isHead: false, signal }
  const presentation = { contentType: 'application/octet-stream', maxAgeSeconds: 0 }
  const reply = file.bytes
    ? replyWithBytes(asked, { bytes: file.bytes, etag }, presentation)
    : await replyWithObject(
        context,
        asked,
        { sha256: file.sha256, sizeBytes: file.sizeBytes, storeKey: file.storeKey ?? '' },
        presentation,
      )
  return {
    status: reply.status ?? 200,
    headers: { ...reply.headers, ...described },
    ...(reply.body ? { body: reply.body } : {}),
  }
}

/** As git has it: of a large file the note that stands for it. */
function sendPointer({ sha256, sizeBytes }: HubFile, known: Record<string, string>): HubAnswer {
  const body = Buffer.from(writePointer(sha256, sizeBytes))
  const headers = { ...known, 'content-type': 'text/plain; charset=utf-8', 'content-length': String(body.byteLength) }
  return { headers, body }
}

const headerOf = ({ request }: HubRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
