import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerFaulty, type HubFault } from './hub-faults.ts'
import {
  type HubFile,
  type HubRepository,
  listEntries,
  openRepository,
  type RepositoryOptions,
} from './hub-repository.ts'

export interface HubServer {
  /** For NMP_HF_ENDPOINT. */
  url: string
  /** For NMP_SOURCE_ALLOW: the hub, and the storage it redirects to, which has another host name. */
  allow: string
  /** Of the first repository. */
  commit: string
  /** Every request, in order, as `GET /path bytes=0-1`. */
  requests: string[]
  /** Requests that brought an Authorization header, as host and path. */
  credentials: string[]
  addRepository(id: string, folder: string | undefined, options?: RepositoryOptions): Promise<HubRepository>
  /** What goes wrong from now on; none for nothing. */
  setFaults(...faults: HubFault[]): void
  close(): Promise<void>
}

export interface HubOptions extends RepositoryOptions {
  /** Entries of one page of the file list. */
  pageSize?: number
  /** Large files are sent from another host name by a redirect, as the public hub does. */
  redirectsLarge?: boolean
}

/** Folders as dataset repositories, over the part of the Hub's protocol that reading needs; the first is lab/set. */
export async function startHubServer(folder: string | undefined, options: HubOptions = {}): Promise<HubServer> {
  const { pageSize = 1000, redirectsLarge = true } = options
  const first = await openRepository('lab/set', folder, options)
  const repositories = new Map([[first.id, first]])
  const stored = new Map<string, HubFile>()
  const store = ({ files }: HubRepository): void => {
    for (const file of files.values()) stored.set(file.sha256, file)
  }
  store(first)
  const requests: string[] = []
  const credentials: string[] = []
  let faults: HubFault[] = []

  const answer = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const path = decodeURIComponent(pathname)
    const { range, authorization, host } = request.headers
    requests.push(`${request.method} ${path}${range === undefined ? '' : ` ${range}`}`)
    if (authorization !== undefined) credentials.push(`${host}${path}`)
    const object = stored.get(path.slice('/storage/'.length))
    const [, prefix, id = '', rest = ''] = /^\/(api\/datasets|datasets)\/([^/]+\/[^/]+)(?:\/(.*))?$/.exec(path) ?? []
    const repository = repositories.get(id)
    const [action = '', ...tail] = rest.split('/')
    const revision = action === '' || action === 'refs' ? 'main' : tail.shift()
    const file = action === 'resolve' ? repository?.files.get(tail.join('/')) : undefined
    if (answerFaulty(faults, request, response, path, (object ?? file)?.content)) return
    if (object) return sendFile(request, response, object)
    if (!repository) return tell(response, authorization === undefined ? 401 : 404, 'RepoNotFound')
    const { commit, files } = repository
    const { token, isGated = false, tags = [] } = repository.options
    if (token !== undefined && authorization !== `Bearer ${token}`)
      return tell(response, authorization === undefined ? 401 : 404, 'RepoNotFound')
    if (isGated && prefix === 'datasets' && token === undefined) return tell(response, 403, 'GatedRepo')
    if (revision === undefined || !['main', 'HEAD', commit, ...tags].includes(revision))
      return tell(response, 404, 'RevisionNotFound')

    if (prefix === 'datasets') {
      if (!file) return tell(response, 404, 'EntryNotFound')
      if (!file.isLarge || !redirectsLarge) return sendFile(request, response, file, commit)
      const head = {
        'x-repo-commit': commit,
        'x-linked-etag': `"${file.sha256}"`,
        'x-linked-size': file.content.length,
      }
      const location = `${storageUrl}/storage/${file.sha256}?signature=secret`
      return response.writeHead(302, { ...head, location, 'content-length': 0 }).end()
    }
    switch (action) {
      case '':
      case 'revision': {
        const siblings = [...files.keys()].map((rfilename) => ({ rfilename }))
        const access = { private: token !== undefined, gated: isGated && 'manual' }
        return sendJson(response, { id, sha: commit, ...access, siblings })
      }
      case 'refs': {
        const branches = [{ name: 'main', ref: 'refs/heads/main', targetCommit: commit }]
        const named = tags.map((name) => ({ name, ref: `refs/tags/${name}`, targetCommit: commit }))
        return sendJson(response, { branches, converts: [], tags: named })
      }
      case 'tree': {
        const entries = listEntries(repository)
        const start = Number(searchParams.get('cursor') ?? 0)
        const end = start + pageSize
        const next = `<${url}${pathname}?recursive=true&expand=false&cursor=${end}>; rel="next"`
        return sendJson(response, entries.slice(start, end), end < entries.length ? { link: next } : {})
      }
      default:
        return tell(response, 404, '')
    }
  }

  const server = createServer((request, response) => {
    response.on('error', () => {})
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const storageUrl = `http://localhost:${port}`
  return {
    url,
    allow: `127.0.0.1:${port},localhost:${port}`,
    commit: first.commit,
    requests,
    credentials,
    async addRepository(id, from, given = {}) {
      const repository = await openRepository(id, from, given)
      repositories.set(id, repository)
      store(repository)
      return repository
    },
    setFaults(...next) {
      faults = next.map((fault) => ({ ...fault }))
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const tell = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'x-error-code': code, 'x-error-message': code })
  response.end(JSON.stringify({ error: code }))
}

const sendJson = (response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void => {
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length, ...headers })
  response.end(body)
}

const sendFile = (request: IncomingMessage, response: ServerResponse, file: HubFile, commit?: string): void => {
  const head = {
    ...(commit === undefined ? {} : { 'x-repo-commit': commit }),
    etag: `"${file.isLarge ? file.sha256 : file.oid}"`,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
  }
  const size = file.content.length
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  const from = Number(asked?.[1] ?? 0)
  const to = Math.min(asked?.[2] ? Number(asked[2]) + 1 : size, size)
  if (asked && from >= size) {
    response.writeHead(416, { ...head, 'content-range': `bytes */${size}` }).end()
    return
  }
  response.writeHead(asked ? 206 : 200, {
    ...head,
    'content-length': to - from,
    ...(asked ? { 'content-range': `bytes ${from}-${to - 1}/${size}` } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : file.content.subarray(from, to))
}
