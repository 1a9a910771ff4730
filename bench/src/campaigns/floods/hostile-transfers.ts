import { createHash } from 'node:crypto'
import type { Program } from '../../../../e2e/program.ts'
import type { HostileBody } from './body-shapes.ts'

const MiB = 1024 * 1024

/** The worst that is sent to the two ways for large files, LFS and Xet: each is worked through to its end, and refused there. */
export async function listTransferBodies(
  program: Program,
  { bearer, repository }: { bearer: string; repository: string },
): Promise<HostileBody[]> {
  const ask = async (method: string, path: string, body?: unknown) =>
    (await program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })).body
  const batch = `/hf/datasets/${repository}.git/info/lfs/objects/batch`
  const { casUrl, accessToken } = await ask('GET', `/hf/api/datasets/${repository}/xet-write-token/main`)
  const cas = new URL(casUrl).pathname
  const large = 128 * MiB
  const plan = { operation: 'upload', transfers: ['basic', 'multipart'] }
  const oids = Array.from({ length: 100 }, (_, index) => createHash('sha256').update(`${index}`).digest('hex'))
  const [whole, parted] = [
    { oid: oids[0], size: 64 * MiB },
    { oid: oids[1], size: large },
  ]
  // LFS has a media type of its own.
  const { objects } = JSON.parse(await ask('POST', batch, { ...plan, objects: [whole, parted] }))
  const pathOf = (href: string): string => new URL(href).pathname + new URL(href).search
  const { upload } = objects[1].actions
  const manifest = {
    oid: parted.oid,
    parts: Array.from({ length: 1000 }, (_, index) => ({ partNumber: index + 1, etag: oids[2] })),
  }
  const row = (
    name: string,
    method: string,
    path: string,
    headers: Record<string, string>,
    body: Buffer,
  ): HostileBody => ({
    name,
    requests: [{ method, path, headers, body }],
  })
  const model = repository.replace(/\/.*/, '/carded')
  await ask('POST', '/hf/api/repos/create', { type: 'model', name: 'carded', organization: repository.split('/')[0] })
  const card = writeCommit('README.md', `---\n${'a: b\n'.repeat(13_000)}---\n`)
  await program.call('POST', `/hf/api/models/${model}/commit/main`, { bearer, body: card })
  const info = writeCommit('meta/info.json', `[${'[],'.repeat(400_000)}1]`)
  const signed = { authorization: `Bearer ${accessToken}` }
  const own = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const xorb = (digit: string): string => `${cas}/v1/xorbs/default/${digit.repeat(64)}`
  return [
    row('models, a card of 64 KiB of YAML is read', 'GET', `/hf/api/models/${model}`, own, Buffer.alloc(0)),
    row(
      'commit, info.json of 400,000 lists',
      'POST',
      `/hf/api/datasets/${repository}/commit/main`,
      own,
      Buffer.from(info),
    ),
    row('Xet, xorbs of 65,536 chunks', 'POST', xorb('1'), signed, writeXorb(65_536, 1)),
    row('Xet, xorbs of 64 MiB', 'POST', xorb('2'), signed, writeXorb(511, 128 * 1024)),
    row('Xet, shards of a million ranges', 'POST', `${cas}/v1/shards`, signed, writeShard(1, 999_000)),
    row('Xet, shards of 99,000 files', 'POST', `${cas}/v1/shards`, signed, writeShard(99_000, 1)),
    row(
      'LFS, objects of 64 MiB that are others',
      'PUT',
      pathOf(objects[0].actions.upload.href),
      {},
      Buffer.alloc(64 * MiB),
    ),
    row('LFS, parts of 64 MiB that are others', 'PUT', pathOf(upload.header['00001']), {}, Buffer.alloc(64 * MiB - 1)),
    row('LFS, lists of 1,000 parts', 'POST', pathOf(upload.href), {}, Buffer.from(JSON.stringify(manifest))),
    row(
      'LFS, batches of 100 objects in parts',
      'POST',
      batch,
      own,
      Buffer.from(JSON.stringify({ ...plan, objects: oids.map((oid) => ({ oid, size: large })) })),
    ),
  ]
}

const writeCommit = (path: string, text: string): string =>
  [
    { key: 'header', value: { summary: 'x' } },
    { key: 'file', value: { path, encoding: 'base64', content: Buffer.from(text).toString('base64') } },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n')

/** Cut off in its last chunk, so that all of it is looked at, and nothing kept. */
function writeXorb(chunks: number, rawBytes: number): Buffer {
  const chunk = Buffer.alloc(8 + rawBytes)
  chunk.writeUIntLE(rawBytes, 1, 3)
  chunk.writeUIntLE(rawBytes, 5, 3)
  return Buffer.concat([...Array.from({ length: chunks }, () => chunk), chunk.subarray(0, 7)])
}

/** Files of xorbs that were never sent. */
function writeShard(files: number, ranges: number): Buffer {
  const record = (fill: number, ...words: number[]): Buffer => {
    const bytes = Buffer.alloc(48)
    bytes.fill(fill, 0, 32)
    words.forEach((word, index) => void bytes.writeUInt32LE(word, 32 + 4 * index))
    return bytes
  }
  const start = record(0)
  start.write('HFRepoMetaData', 'latin1')
  const range = record(7, 0, 100, 0, 1)
  const file = Buffer.concat([record(0, 0x40000000, ranges), ...Array.from({ length: ranges }, () => range), record(9)])
  return Buffer.concat([start, ...Array.from({ length: files }, () => file), record(0xff)])
}
