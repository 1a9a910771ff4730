import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sendByXet } from './xet-push.ts'

/** Files as a client pushes them to the Hub door, without one of its libraries. */
export interface PushedFile {
  path: string
  content: Buffer
}

interface Door {
  /** Of the program; the door is below it. */
  url: string
  token: string
}

// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
type Json = any

export async function readPushedFolder(folder: string): Promise<PushedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.sort().map(async (path) => ({ path: relative(folder, path), content: await readFile(path) })),
  )
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

async function ask({ url, token }: Door, path: string, body: string): Promise<Json> {
  const answer = await fetch(`${url}/hf${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  const json = (await answer.json()) as Json
  if (!answer.ok && answer.status !== 409) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`)
  return json
}

/** Creates the repository, sends what is missing of the large files, and commits; answers the commit. */
export async function pushFiles(
  door: Door,
  repoId: string,
  files: readonly PushedFile[],
  branch = 'main',
  store: 'lfs' | 'xet' = 'lfs',
): Promise<string> {
  const revision = encodeURIComponent(branch)
  const [organization, name] = repoId.split('/')
  const repository = `/api/datasets/${repoId}`
  await ask(door, '/api/repos/create', JSON.stringify({ name, organization, type: 'dataset', private: true }))
  const plan = await ask(
    door,
    `${repository}/preupload/${revision}`,
    JSON.stringify({ files: files.map(({ path, content }) => ({ path, size: content.length, sample: '' })) }),
  )
  const modes = new Map<string, string>(plan.files.map((file: Json) => [file.path, file.uploadMode]))
  const large = files.filter(({ path }) => modes.get(path) === 'lfs')
  if (store === 'xet') await sendLargeByXet(door, `${repository}/xet-write-token/${revision}`, large)
  else await sendLargeByLfs(door, repoId, branch, large)
  const lines = [
    { key: 'header', value: { summary: 'push', description: '' } },
    ...files.map(({ path, content }) =>
      modes.get(path) === 'lfs'
        ? { key: 'lfsFile', value: { path, algo: 'sha256', oid: hashOf(content), size: content.length } }
        : { key: 'file', value: { path, content: content.toString('base64'), encoding: 'base64' } },
    ),
  ]
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  return (await ask(door, `${repository}/commit/${revision}`, text)).commitOid
}

async function sendLargeByLfs(door: Door, repoId: string, branch: string, large: readonly PushedFile[]): Promise<void> {
  const objects = large.map(({ content }) => ({ oid: hashOf(content), size: content.length }))
  const body = { operation: 'upload', transfers: ['basic', 'multipart'], objects, ref: { name: branch } }
  const batch = await ask(door, `/datasets/${repoId}.git/info/lfs/objects/batch`, JSON.stringify(body))
  for (const [index, object] of batch.objects.entries()) {
    if (!object.actions) continue
    const content = new Uint8Array(large[index]?.content ?? [])
    const { status } = await fetch(object.actions.upload.href, { method: 'PUT', body: content })
    if (status !== 200) throw new Error(`an upload was answered by ${status}`)
  }
}

async function sendLargeByXet({ url, token }: Door, path: string, large: readonly PushedFile[]): Promise<void> {
  const answer = await fetch(`${url}/hf${path}`, { headers: { authorization: `Bearer ${token}` } })
  const cas = (await answer.json()) as Parameters<typeof sendByXet>[0]
  for (const { content } of large) await sendByXet(cas, content)
}
