import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@nmp/sdk/client'
import { watchEvents } from '@nmp/sdk/events'
import { downloadFile } from '@nmp/sdk/node-download'
import { uploadPaths } from '@nmp/sdk/node-files'
import { getFixture } from '../../../../fixtures/fixture.ts'

const place = { org_slug: 'ada', project_slug: 'default' }
const recording = getFixture('lerobot/recorded-v3.0-two-cameras')

/** What somebody did and when; `failed` is what the client told them after all of its own tries. */
interface Deed {
  kind: string
  at: number
  milliseconds: number
  failed?: string
}

export interface Use {
  deeds: Deed[]
  /** Requests without any retry, four a second: what a user would have seen. */
  probes: { kind: 'read' | 'write'; at: number; milliseconds: number; ok: boolean }[]
  /** Acknowledged, and so to be there in the end, once. */
  imports: { id: string; slug: string }[]
  exports: { versionId: string; jobId: string; sha256: string }[]
  pushes: { path: string; content: string }[]
  events: { ids: string[]; opened: number; ended: number; finished: Set<string> }
  expectedSha256: string
  /** All that is under way ends; what cannot in five minutes is told. */
  stop(): Promise<void>
}

interface Person {
  url: string
  token: string
  /** For what no token may do. */
  session: string
  /** For downloads. */
  folder: string
}

/** People who use everything at once, without a pause, until they are stopped. */
export async function startUse({ url, token, session, folder }: Person): Promise<Use> {
  const client = createClient({ baseUrl: url, token })
  const { id: source, slug } = await importOnce(client, 'source')
  const first = await exportOnce(client, source, 'reference', folder)
  const stopped = new AbortController()
  const use: Omit<Use, 'stop'> = {
    deeds: [],
    probes: [],
    imports: [{ id: source, slug }],
    exports: [first],
    pushes: [],
    events: { ids: [], opened: 0, ended: 0, finished: new Set() },
    expectedSha256: first.sha256,
  }
  const repeat = async (kind: string, pauseMs: number, act: (number: number) => Promise<void>): Promise<void> => {
    for (let number = 1; !stopped.signal.aborted; number++) {
      const deed: Deed = { kind, at: Date.now(), milliseconds: 0 }
      try {
        await act(number)
      } catch (error) {
        deed.failed = describe(error)
        console.log(`  ${kind} ${number} failed: ${deed.failed}`)
      }
      deed.milliseconds = Date.now() - deed.at
      use.deeds.push(deed)
      await sleep(pauseMs)
    }
  }
  await createRepository(url, token)
  const unwatched = new AbortController()
  const watching = watch(client, use, unwatched.signal)
  const loops = [
    repeat('import', 1000, async (number) => {
      use.imports.push(await importOnce(client, `set-${number}`))
    }),
    repeat('export', 1000, async (number) => {
      use.exports.push(await exportOnce(client, source, `version-${number}`, folder))
    }),
    repeat('push', 500, async (number) => {
      const path = `notes/${number}.txt`
      const content = randomBytes(24).toString('hex')
      await push(url, token, path, content)
      use.pushes.push({ path, content })
    }),
    repeat('Hub read', 250, async () => {
      const last = use.pushes.at(-1)
      if (last) await readPushed(url, token, last)
    }),
    repeat('read', 250, async () => {
      await client.catalog.getCatalogDataset({ dataset_id: source, limit: 1 })
      await client.imports.listImports({ ...place, limit: 20 })
    }),
    ...(['read', 'write'] as const).map(async (kind) => {
      while (!stopped.signal.aborted) {
        const at = Date.now()
        const ok = await probe(url, session, kind)
        use.probes.push({ kind, at, milliseconds: Date.now() - at, ok })
        await sleep(250)
      }
    }),
  ]
  return {
    ...use,
    async stop() {
      stopped.abort()
      const late = sleep(300_000, undefined, { ref: false }).then(() => {
        throw new Error('What was under way did not end within five minutes.')
      })
      await Promise.race([Promise.all(loops), late])
      // What the last of them did is told a moment later.
      await sleep(2000)
      unwatched.abort()
      await watching
    },
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

async function importOnce(client: Client, slug: string): Promise<{ id: string; slug: string }> {
  const uploads = await uploadPaths(client.transport, [recording], { orgSlug: 'ada', projectSlug: 'default' })
  const body = { source_kind: 'lerobot' as const, dataset_slug: slug, upload_ids: uploads.map(({ id }) => id) }
  const { dataset_id: id } = await client.imports.createAndWait({ ...place, body })
  return { id: id ?? '', slug }
}

/** Encoded anew, so that workers have something to do and share. */
const recipe = { resize: { width: 96, height: 96, mode: 'fit' as const } }

async function exportOnce(client: Client, source: string, slug: string, folder: string) {
  const body = { slug, name: slug, source: { dataset_kind: 'project' as const, dataset_id: source }, recipe }
  const { item } = await client.versions.createVersion({ org_slug: 'ada', body })
  const job = await client.exports.createAndWait({ org_slug: 'ada', version_id: item.id })
  const target = join(folder, `${slug}.tar`)
  const findUrl = async (): Promise<string> =>
    (await client.exports.getArtifactDownloadUrl({ org_slug: 'ada', version_id: item.id, artifact_key: 'lerobot' })).url
  await downloadFile({ target, findUrl })
  const sha256 = createHash('sha256')
    .update(await readFile(target))
    .digest('hex')
  return { versionId: item.id, jobId: job.id, sha256 }
}

async function watch(client: Client, use: Omit<Use, 'stop'>, signal: AbortSignal): Promise<void> {
  const onOpen = (): void => {
    use.events.opened += 1
  }
  while (!signal.aborted) {
    try {
      for await (const { id, event, data } of watchEvents(client.transport, place, { signal, onOpen })) {
        if (id) use.events.ids.push(id)
        if (event === 'import' && data.includes('succeeded')) use.events.finished.add(data)
      }
    } catch {
      if (!signal.aborted) use.events.ended += 1
      await sleep(500)
    }
  }
}

const probeMs = 10_000

async function probe(url: string, session: string, kind: 'read' | 'write'): Promise<boolean> {
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(probeMs)
  try {
    const answer =
      kind === 'read'
        ? await fetch(`${url}/api/v1/users/me`, { headers, signal })
        : await fetch(`${url}/api/v1/users/me/profile`, {
            method: 'PATCH',
            headers,
            signal,
            body: JSON.stringify({ display_name: `Ada ${Date.now()}` }),
          })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

const repository = 'ada/notes'

/** As stock clients do: what did not arrive is sent again, for a minute. */
async function askHub(url: string, token: string, path: string, init: RequestInit = {}): Promise<Response> {
  const deadline = Date.now() + 60_000
  for (let wait = 250; ; wait = Math.min(8000, wait * 2)) {
    const signal = AbortSignal.timeout(30_000)
    const headers = { authorization: `Bearer ${token}`, ...init.headers }
    const answer = await fetch(`${url}/hf${path}`, { ...init, headers, signal }).catch((error) => error as Error)
    if (answer instanceof Response && ![429, 500, 502, 503, 504].includes(answer.status)) return answer
    if (Date.now() > deadline) {
      const said = answer instanceof Response ? `${answer.status} ${await answer.text()}` : describe(answer)
      throw new Error(`${init.method ?? 'GET'} ${path}: ${said}`)
    }
    await sleep(Math.random() * wait)
  }
}

async function createRepository(url: string, token: string): Promise<void> {
  const body = JSON.stringify({ name: 'notes', organization: 'ada', type: 'model', private: true })
  const answer = await askHub(url, token, '/api/repos/create', { method: 'POST', body })
  if (!answer.ok) throw new Error(`The repository was not made: ${answer.status} ${await answer.text()}`)
}

/** One file, built on the commit before it: a push that arrived although its answer did not is refused the second time. */
async function push(url: string, token: string, path: string, content: string): Promise<void> {
  const info = await (await askHub(url, token, `/api/models/${repository}`)).json()
  const lines = [
    { key: 'header', value: { summary: path, description: '', parentCommit: (info as { sha: string }).sha } },
    {
      key: 'file',
      value: { path, content: Buffer.from(content).toString('base64'), encoding: 'base64' },
    },
  ]
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  const answer = await askHub(url, token, `/api/models/${repository}/commit/main`, { method: 'POST', body })
  if (answer.status === 412) await readPushed(url, token, { path, content })
  else if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

export async function readPushed(url: string, token: string, file: { path: string; content: string }): Promise<void> {
  const answer = await askHub(url, token, `/${repository}/resolve/main/${file.path}`)
  const text = await answer.text()
  if (!answer.ok || text !== file.content) throw new Error(`${file.path}: ${answer.status}, ${text.slice(0, 100)}`)
}

/** Commits of the repository: one for each push. */
export async function countCommits(url: string, token: string): Promise<number> {
  let count = 0
  for (let page = 0; ; page++) {
    const answer = await askHub(url, token, `/api/models/${repository}/commits/main?p=${page}&limit=100`)
    const commits = (await answer.json()) as unknown[]
    count += commits.length
    if (commits.length < 100) return count
  }
}
