import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { makeFolder } from '../../../../e2e/program.ts'
import { describeTarFile, endTar } from '../../../../server/src/storage/serving/tar.ts'
import type { FloodSeed } from './flood-seed.ts'
import { askReady, bar, betweenTries, describeTimes, type ReadyTimes } from './ready-times.ts'
import { longestTurnMs, type MeteredProgram } from './turns.ts'

/** What is in an archive, and how it is packed. */
interface ArchiveKind {
  name: string
  file: string
  fileCount: number
  /** Of each. */
  contentBytes: number
  pack?: () => Transform
}

/** The second is as large as archives may be that hold nothing but small files: all of it is unpacked, refused and removed again. */
export const archiveKinds: readonly ArchiveKind[] = [
  {
    name: 'tar.gz of 600,000 empty files',
    file: 'many.tar.gz',
    fileCount: 600_000,
    contentBytes: 0,
    pack: () => createGzip(),
  },
  { name: 'tar of 300,000 files of a byte', file: 'small.tar', fileCount: 300_000, contentBytes: 1 },
]

export interface ArchiveRow extends ReadyTimes {
  name: string
  files: number
  megabytes: number
  /** From the request that begins the import to its end. */
  seconds: number
  status: string
  errorCode: string | null
  /** Of the API's loop, in milliseconds of a processor. */
  turn: number
  met: boolean
}

/** An archive with more files than anybody needs is imported while others ask `/readyz`: it is refused in words, and nobody waits for it. */
export async function measureArchive(
  program: MeteredProgram,
  seed: FloodSeed,
  kind: ArchiveKind,
  scale: number,
): Promise<ArchiveRow> {
  const { bearer, org, project } = seed
  const files = Math.max(20_000, Math.round(kind.fileCount * scale))
  const path = join(await makeFolder(), kind.file)
  await pipeline(
    Readable.from(listBlocks(files, kind.contentBytes)),
    kind.pack?.() ?? new PassThrough(),
    createWriteStream(path),
  )
  const { transport } = createClient({ baseUrl: program.url, token: bearer })
  const uploads = await uploadPaths(transport, [path], { orgSlug: org, projectSlug: project })
  const imports = `/api/v1/orgs/${org}/projects/${project}/imports`
  const began = performance.now()
  const since = Date.now()
  const body = {
    source_kind: 'lerobot',
    dataset_slug: kind.file.replace(/\..*/, ''),
    upload_ids: uploads.map(({ id }) => id),
  }
  const created = await program.call('POST', imports, { bearer, body })
  const times: number[] = []
  let job = created.body.item
  while (job.status === 'queued' || job.status === 'running') {
    times.push(await askReady(program))
    await sleep(betweenTries)
    if (times.length % 10 === 0) job = (await program.call('GET', `${imports}/${job.id}`, { bearer })).body.item
  }
  const quantiles = describeTimes(times)
  const errorCode = job.error_code ?? null
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const turn = await program.findLongestTurn(since)
  const isRefused = job.status === 'failed' && errorCode !== 'internal_error'
  const row = {
    name: kind.name,
    files,
    megabytes: Math.round(((await stat(path)).size / 2 ** 20) * 100) / 100,
    seconds,
    status: job.status,
    errorCode,
    ...quantiles,
    turn,
    met: quantiles.p99 <= bar.milliseconds && turn <= longestTurnMs && isRefused,
  }
  console.log(
    `${row.met ? 'met ' : 'MISS'} ${row.name} (${files} in ${row.megabytes} MiB; ${row.status} with ${errorCode} after ${row.seconds} s): ` +
      `readyz ${row.median} ms, 99 of 100 within ${row.p99} ms, longest ${row.largest} ms; longest turn ${turn} ms of a processor`,
  )
  return row
}

function* listBlocks(count: number, contentBytes: number): Generator<Uint8Array> {
  const content = new Uint8Array(512 * Math.ceil(contentBytes / 512))
  for (let index = 0; index < count; index++) {
    yield describeTarFile(`data/${index}.txt`, contentBytes)
    if (contentBytes > 0) yield content
  }
  yield endTar()
}
