import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Dataset } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { expect } from 'vitest'
import type { TestProgram } from './program.ts'
import { waitUntil } from './wait-until.ts'

const run = promisify(execFile)

/** Versions and exports through HTTP, as a client of the organization makes and fetches them. */
export async function openExporter(program: TestProgram, bearer: string, org: string, project: string) {
  const versionsPath = `/api/v1/orgs/${org}/derived-dataset-versions`
  const work = await mkdtemp(join(tmpdir(), 'nmp-exports-test-'))
  const call = (method: string, path: string, body?: unknown) =>
    program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })

  /** Of a dataset, or of a version by its id. */
  async function derive(sourceId: string, recipe: object, slug = 'curated') {
    const source = { dataset_kind: sourceId.startsWith('ver_') ? 'version' : 'catalog', dataset_id: sourceId }
    const body = { slug, name: 'Curated', project_slug: project, source, recipe }
    const answer = await call('POST', versionsPath, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.item
  }

  async function queue(id: string): Promise<string> {
    const { status, body } = await call('POST', `${versionsPath}/${id}/export-jobs`, { artifact_keys: ['lerobot'] })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.jobs[0].id
  }

  const waitForEnd = (id: string, jobId: string) =>
    waitUntil(
      async () => {
        const { body } = await call('GET', `${versionsPath}/${id}/export-jobs/${jobId}`)
        return ['succeeded', 'failed', 'canceled'].includes(body.item.status) ? body.item : undefined
      },
      { seconds: 600 },
    )

  async function findArtifact(id: string, key = 'lerobot') {
    const { body } = await call('GET', `${versionsPath}/${id}`)
    const artifact = body.item.export_artifacts.find((entry: { key: string }) => entry.key === key)
    return { ...artifact, versionStatus: body.item.status }
  }

  const findLink = async (id: string): Promise<string> =>
    (await call('GET', `${versionsPath}/${id}/artifacts/lerobot/download-url`)).body.url

  /** Queue to ready, then the tar as a stranger gets it: downloaded, hashed, unpacked by tar, opened. */
  async function exportAndOpen(sourceId: string, recipe: object) {
    return exportVersion(await derive(sourceId, recipe))
  }

  async function exportVersion(version: { id: string }) {
    const job = await waitForEnd(version.id, await queue(version.id))
    expect(job).toMatchObject({ status: 'succeeded', error_message: null, progress_pct: 100 })
    const artifact = await findArtifact(version.id)
    expect(artifact).toMatchObject({ status: 'ready', job_id: job.id, versionStatus: 'materialized' })
    const link = await findLink(version.id)
    const bytes = Buffer.from(await (await fetch(link)).arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifact.checksum_sha256)
    expect(bytes.length).toBe(job.size_bytes)
    const folder = join(work, version.id)
    await mkdir(folder)
    await writeFile(`${folder}.tar`, bytes)
    await unpack(`${folder}.tar`, folder)
    const dataset = await openDataset(await openFolder(folder))
    expect(dataset.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    return { folder, dataset, job, version, link, bytes }
  }

  const close = () => rm(work, { recursive: true, force: true })
  return { versionsPath, call, derive, queue, waitForEnd, findArtifact, findLink, exportAndOpen, exportVersion, close }
}

/** By tar itself, without its top folder; the folder. */
export async function unpack(path: string, folder: string): Promise<string> {
  await run('tar', ['-xf', path, '-C', folder, '--strip-components=1'])
  return folder
}

export type Exporter = Awaited<ReturnType<typeof openExporter>>

export async function readColumn(dataset: Dataset, position: number, name: string): Promise<number[]> {
  const values: number[] = []
  for await (const block of dataset.getEpisode(position).readBlocks({ columns: [name] }))
    values.push(...Array.from(block.columns.get(name) as Float32Array, Number))
  return values
}
