import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative, sep } from 'node:path'
import { answerFaulty, type HubFault } from './hub-faults.ts'

export interface HubFile {
  path: string
  content: Buffer
  isLarge: boolean
}

export interface HubServer {
  /** For NMP_HF_ENDPOINT. */
  url: string
  /** For NMP_SOURCE_ALLOW: the hub, and the storage it redirects to, which has another host name. */
  allow: string
  commit: string
  /** Every request, in order, as `GET /path bytes=0-1`. */
  requests: string[]
  /** Requests that brought an Authorization header, as host and path. */
  credentials: string[]
  /** What goes wrong from now on; none for nothing. */
  setFaults(...faults: HubFault[]): void
  close(): Promise<void>
}

export interface HubOptions {
  /** `owner/name`. */
  repoId?: string
  /** Tags beside the branch main, all of the one commit. */
  tags?: string[]
  /** Without it everyone may read. */
  token?: string
  isGated?: boolean
  /** Entries of one page of the file list. */
  pageSize?: number
  /** Large files are sent from another host name by a redirect, as the public hub does. */
  redirectsLarge?: boolean
  /** Files beside those of the folder, also with names that a folder cannot hold. */
  extra?: HubFile[]
  port?: number
}

/** Binary files are kept by their sha256, the rest as git blobs, by the public hub's rule of thumb. */
const largeNames = /\.(parquet|mp4|png|arrow|hdf5|h5|tar|zip|bin)$/

/** A folder as a dataset repository, over the part of the Hub's protocol that reading needs. */
export async function startHubServer(folder: string | undefined, options: HubOptions = {}): Promise<HubServer> {
  const { repoId = 'lab/set', tags = [], token, isGated = false, pageSize = 1000, redirectsLarge = true } = options
  const files = new Map<string, HubFile>()
  for (const file of [...(folder === undefined ? [] : await readFolder(folder)), ...(options.extra ?? [])])
    files.set(file.path, file)
  const commit = hashOf('sha1', [...files.values()].map((file) => `${file.path} ${blobOf(file)}`).join('\n'))
  const byHash = new Map([...files.values()].map((file) => [hashOf('sha256', file.content), file]))
  const requests: string[] = []
  const credentials: string[] = []
  let faults: HubFault[] = []

  const tell = (response: ServerResponse, status: number, code: string): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-error-code': code, 'x-error-message': code })
    response.end(JSON.stringify({ error: code }))
  }

  const sendJson = (response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void => {
    const body = Buffer.from(JSON.stringify(value))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length, ...headers })
    response.end(body)
  }

  const sendFile = (request: IncomingMessage, response: ServerResponse, file: HubFile): void => {
    const etag = `"${file.isLarge ? hashOf('sha256', file.content) : blobOf(file)}"`
    const head = { 'x-repo-commit': commit, etag, 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' }
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

  const answer = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const path = decodeURIComponent(pathname)
    const range = request.headers.range === undefined ? '' : ` ${request.headers.range}`
    requests.push(`${request.method} ${path}${range}`)
    if (request.headers.authorization !== undefined) credentials.push(`${request.headers.host}${path}`)
    const stored = byHash.get(path.slice('/storage/'.length))
    const content = (stored ?? files.get(path.split(/\/resolve\/[^/]+\//)[1] ?? ''))?.content
    if (answerFaulty(faults, request, response, path, content)) return
    if (stored) return sendFile(request, response, stored)
    const [, prefix, id, rest = ''] = /^\/(api\/datasets|datasets)\/([^/]+\/[^/]+)(?:\/(.*))?$/.exec(path) ?? []
    if (id !== repoId) return tell(response, token === undefined ? 404 : 401, 'RepoNotFound')
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return tell(response, request.headers.authorization === undefined ? 401 : 404, 'RepoNotFound')
    if (isGated && prefix === 'datasets' && token === undefined) return tell(response, 403, 'GatedRepo')

    const [action = '', ...tail] = rest.split('/')
    const revision = action === '' || action === 'refs' ? 'main' : tail.shift()
    if (revision === undefined || !['main', 'HEAD', commit, ...tags].includes(revision))
      return tell(response, 404, 'RevisionNotFound')
    if (prefix === 'datasets' && action === 'resolve') {
      const file = files.get(tail.join('/'))
      if (!file) return tell(response, 404, 'EntryNotFound')
      if (!file.isLarge || !redirectsLarge) return sendFile(request, response, file)
      const sha256 = hashOf('sha256', file.content)
      response.writeHead(302, {
        location: `${storageUrl}/storage/${sha256}?signature=secret`,
        'x-repo-commit': commit,
        'x-linked-etag': `"${sha256}"`,
        'x-linked-size': file.content.length,
        'content-length': 0,
      })
      response.end()
      return
    }
    if (prefix !== 'api/datasets') return tell(response, 404, 'EntryNotFound')
    switch (action) {
      case '':
      case 'revision': {
        const siblings = [...files.keys()].map((rfilename) => ({ rfilename }))
        return sendJson(response, {
          id: repoId,
          sha: commit,
          private: token !== undefined,
          gated: isGated && 'manual',
          siblings,
        })
      }
      case 'refs': {
        const branches = [{ name: 'main', ref: 'refs/heads/main', targetCommit: commit }]
        const named = tags.map((name) => ({ name, ref: `refs/tags/${name}`, targetCommit: commit }))
        return sendJson(response, { branches, converts: [], tags: named })
      }
      case 'tree': {
        const entries = listEntries([...files.values()])
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
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const storageUrl = `http://localhost:${port}`
  return {
    url,
    allow: `127.0.0.1:${port},localhost:${port}`,
    commit,
    requests,
    credentials,
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

const hashOf = (kind: 'sha1' | 'sha256', content: Buffer | string): string =>
  createHash(kind).update(content).digest('hex')

const gitBlobOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')

/** What git keeps of a file: its bytes, or the pointer to a large one. */
const blobOf = ({ content, isLarge }: HubFile): string =>
  gitBlobOf(
    isLarge
      ? Buffer.from(
          `version https://git-lfs.github.com/spec/v1\noid sha256:${hashOf('sha256', content)}\nsize ${content.length}\n`,
        )
      : content,
  )

const listEntries = (files: HubFile[]): object[] => {
  const folders = new Set(
    files.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, index, parts) => parts.slice(0, index + 1).join('/')),
    ),
  )
  return [
    ...[...folders].map((path) => ({ type: 'directory', path, size: 0, oid: hashOf('sha1', path) })),
    ...files.map((file) => ({
      type: 'file',
      path: file.path,
      size: file.content.length,
      oid: blobOf(file),
      ...(file.isLarge
        ? { lfs: { oid: hashOf('sha256', file.content), size: file.content.length, pointerSize: 130 } }
        : {}),
    })),
  ]
}

const readFolder = async (folder: string): Promise<HubFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: relative(folder, path).split(sep).join('/'),
      content: await readFile(path),
      isLarge: largeNames.test(path),
    })),
  )
}
