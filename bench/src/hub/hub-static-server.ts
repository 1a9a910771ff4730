/**
 * `hub-static-server.ts FOLDER`: the least that answers huggingface_hub: a folder as the repository lab/set, every answer but the bytes made
 * beforehand. Runs in a process of its own, as nmp does.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [folder = ''] = process.argv.slice(2)
const commit = 'a'.repeat(40)
const entries = await readdir(folder, { recursive: true, withFileTypes: true })
const files = new Map<string, { path: string; size: number; oid: string; isLarge: boolean }>()
for (const entry of entries) {
  if (!entry.isFile()) continue
  const absolute = join(entry.parentPath, entry.name)
  const isLarge = /\.(parquet|mp4)$/.test(entry.name)
  const hash = createHash(isLarge ? 'sha256' : 'sha1')
  const { size } = await stat(absolute)
  if (!isLarge) hash.update(`blob ${size}\0`)
  hash.update(await readFile(absolute))
  const path = relative(folder, absolute)
  files.set(path, { path, size, oid: hash.digest('hex'), isLarge })
}
const tree = [...files.values()].map(({ path, size, oid, isLarge }) => ({
  type: 'file',
  path,
  size,
  oid: isLarge ? commit : oid,
  ...(isLarge ? { lfs: { oid, size, pointerSize: 130 } } : {}),
}))
const info = { id: 'lab/set', sha: commit, private: false, siblings: tree.map(({ path }) => ({ rfilename: path })) }

const server = createServer((request, response) => {
  const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '')
  const answer = (value: unknown) => {
    const body = Buffer.from(JSON.stringify(value))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  }
  if (path.includes('/revision/')) return answer(info)
  if (path.includes('/tree/')) return answer(tree)
  const file = files.get(/\/resolve\/[^/]+\/(.*)$/.exec(path)?.[1] ?? '')
  if (!file) return response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end()
  response.writeHead(200, {
    'x-repo-commit': commit,
    etag: `"${file.oid}"`,
    'content-length': file.size,
    'accept-ranges': 'bytes',
  })
  if (request.method === 'HEAD') return response.end()
  return pipeline(createReadStream(join(folder, file.path)), response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo | null)?.port ?? 0}`),
)
