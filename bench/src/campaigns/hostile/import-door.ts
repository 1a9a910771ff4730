import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../../../e2e/program.ts'
import { type HostileGround, project } from './ground.ts'
import { judge, type Verdict } from './verdict.ts'

/** Files under the names that a stranger gives them; a list, since a name may come twice. */
export interface HostileSource {
  name: string
  kind: 'lerobot' | 'hdf5'
  files: () => Promise<[name: string, bytes: Buffer][]>
}

/** More than any of these may take: 300 processor seconds and 30 for each megabyte, beside others. */
const deadlineSeconds = 900
const finalStatuses = ['succeeded', 'failed', 'canceled']
/** A sentence, and nothing that controls a terminal. */
const sentence = /^\P{Cc}{20,}\.$/u

let count = 0

/** From the upload to the end of its import: refused with a code, imported, or failed with a code and a sentence. */
export const judgeImport = (ground: HostileGround, { name, kind, files }: HostileSource): Promise<Verdict> =>
  judge(name, async () => {
    const { program, mallory } = ground
    const { bearer } = mallory
    const upload_ids: string[] = []
    for (const [file, bytes] of await files()) {
      const sent = await uploadFile(ground, file, bytes)
      if (typeof sent !== 'string') return describeRefusal('at the upload', sent)
      upload_ids.push(sent)
    }
    const path = `/api/v1/orgs/${mallory.org}/projects/${project}/imports`
    const body = { source_kind: kind, dataset_slug: `hostile-${++count}`, upload_ids }
    const created = await program.call('POST', path, { bearer, body })
    if (created.status !== 201) return describeRefusal('at the start', created)
    const job = await waitForEnd(ground, `${path}/${created.body.item.id}`)
    if (!job) return { held: false, words: `did not end within ${deadlineSeconds} s` }
    const report = await program.call('GET', `${path}/${job.id}/report`, { bearer })
    const told = JSON.stringify([job, report.body])
    const secret = ['root:', program.dataDir, ground.temporary].find((one) => told.includes(one))
    if (secret) return { held: false, words: `tells ${secret}` }
    const attempts = job.attempt_count === 1 ? '' : ` after ${job.attempt_count} attempts`
    if (job.status === 'succeeded') {
      const { findings } = report.body.item
      return { held: true, words: findings.length > 0 ? `imported with findings${attempts}` : `imported${attempts}` }
    }
    const isSaid = job.error_code && job.error_code !== 'internal_error' && sentence.test(job.error_message ?? '')
    return {
      held: Boolean(isSaid),
      words: `failed: ${job.error_code}${attempts}${isSaid ? '' : `: ${job.error_message}`}`,
    }
  })

function describeRefusal(place: string, { status, body }: Answer): Omit<Verdict, 'name'> {
  const code = body?.code ?? (Array.isArray(body?.detail) ? 'validation_failed' : undefined)
  return { held: status >= 400 && status < 500 && code !== undefined, words: `refused ${place}: ${status} ${code}` }
}

/** One file by tus: its id, or the refusal. */
export async function uploadFile(
  { program, mallory }: HostileGround,
  name: string,
  bytes: Buffer,
): Promise<string | Answer> {
  const { bearer } = mallory
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': String(bytes.length),
    'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
  }
  const created = await program.call('POST', '/api/v1/uploads', { bearer, headers })
  if (created.status !== 201) return created
  const location = new URL(created.headers.get('location') ?? '', program.url)
  if (bytes.length > 0) {
    const sent = await fetch(location, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${bearer}`,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: new Uint8Array(bytes),
    })
    if (sent.status !== 204) return { status: sent.status, headers: sent.headers, body: await sent.json() }
  }
  return location.pathname.split('/').at(-1) ?? ''
}

async function waitForEnd({ program, mallory }: HostileGround, path: string): Promise<Answer['body'] | undefined> {
  const end = Date.now() + deadlineSeconds * 1000
  while (Date.now() < end) {
    const { body } = await program.call('GET', path, { bearer: mallory.bearer })
    if (finalStatuses.includes(body.item?.status)) return body.item
    await sleep(300)
  }
  return undefined
}
