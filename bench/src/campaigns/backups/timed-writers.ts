import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { callUrl } from '../../../../e2e/program.ts'

interface Place {
  url: string
  bearer: string
  org: string
}

/** One write: when it was begun, and when it was acknowledged, if ever. */
interface Write {
  name: string
  begun: number
  acknowledged: number | undefined
}

export interface Writers {
  place: Place
  projects: Write[]
  /** By the path of the upload, once it is known. */
  uploads: Write[]
  moveTo(url: string): void
  seenBy(at: number): { acknowledged: number; begunAfter: number }
  stop(): Promise<void>
}

const maxUploadBytes = 400_000

/** Clients that write until they are stopped, whatever becomes of the program. */
export function createWriters(given: Place): Writers {
  const place = { ...given }
  const projects: Write[] = []
  const uploads: Write[] = []
  let isStopped = false
  const repeat = async (write: () => Promise<void>): Promise<void> => {
    while (!isStopped) await write().catch(() => sleep(100))
  }
  const loops = [repeat(() => createProject(place, projects)), repeat(() => sendUpload(place, uploads))]
  return {
    place,
    projects,
    uploads,
    moveTo(url) {
      place.url = url
    },
    seenBy(at) {
      const all = [...projects, ...uploads]
      return {
        acknowledged: all.filter(({ acknowledged = Number.POSITIVE_INFINITY }) => acknowledged < at).length,
        begunAfter: all.filter(({ begun }) => begun > at).length,
      }
    },
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}

let projectNumber = 0

async function createProject({ url, bearer, org }: Place, projects: Write[]): Promise<void> {
  projectNumber += 1
  const write: Write = { name: `p-${projectNumber}`, begun: Date.now(), acknowledged: undefined }
  projects.push(write)
  const body = { slug: write.name }
  const { status } = await callUrl(url, 'POST', `/api/v1/orgs/${org}/projects`, { bearer, body })
  if (status === 201) write.acknowledged = Date.now()
  await sleep(5)
}

async function sendUpload({ url, bearer }: Place, uploads: Write[]): Promise<void> {
  const bytes = randomBytes(1 + Math.floor(Math.random() * maxUploadBytes))
  const tus = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
  const write: Write = { name: '', begun: Date.now(), acknowledged: undefined }
  const created = await callUrl(url, 'POST', '/api/v1/uploads', {
    headers: {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${Buffer.from('a.hdf5').toString('base64')}`,
    },
  })
  if (created.status !== 201) throw new Error(`An upload was refused with ${created.status}.`)
  write.name = new URL(created.headers.get('location') ?? '').pathname
  uploads.push(write)
  const sent = await fetch(url + write.name, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: bytes,
  })
  if (sent.status === 204) write.acknowledged = Date.now()
  await sent.arrayBuffer()
  await sleep(20)
}

/** Asks a restored program for everything that was written. */
export async function findWrong(
  url: string,
  { place, projects, uploads }: Writers,
  at: number,
): Promise<{ lost: number; tooMany: number }> {
  const { bearer, org } = place
  const { body } = await callUrl(url, 'GET', `/api/v1/orgs/${org}/projects`, { bearer })
  const slugs = new Set((body.items as { project_slug: string }[]).map((project) => project.project_slug))
  const wrong = judge(projects, at, (name) => slugs.has(name))
  const found = new Set<string>()
  for (const { name } of uploads) {
    const headers = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
    const answer = await fetch(url + name, { method: 'HEAD', headers })
    const isWhole = answer.headers.get('upload-offset') === answer.headers.get('upload-length')
    if (answer.status === 200 && isWhole) found.add(name)
  }
  const wrongUploads = judge(uploads, at, (name) => found.has(name))
  return { lost: wrong.lost + wrongUploads.lost, tooMany: wrong.tooMany + wrongUploads.tooMany }
}

function judge(
  writes: readonly Write[],
  at: number,
  isThere: (name: string) => boolean,
): { lost: number; tooMany: number } {
  return {
    lost: writes.filter(({ name, acknowledged = Number.POSITIVE_INFINITY }) => acknowledged < at && !isThere(name))
      .length,
    tooMany: writes.filter(({ name, begun }) => begun > at && isThere(name)).length,
  }
}
