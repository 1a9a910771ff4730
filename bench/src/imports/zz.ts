import { execFile } from 'node:child_process'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeV21 } from '../formats/formats-sample.ts'
import { openH5py } from '../python-peer.ts'
import { openImportSetup } from './import-setup.ts'

const run = promisify(execFile)
const setup = await openImportSetup()
const folder = await mkdtemp(join(tmpdir(), 'zz-'))
await setup.startWorker({ leaseSeconds: 60, concurrency: 1 })
async function follow(kind: 'lerobot' | 'hdf5', source: string, slug: string) {
  const stored = await setup.store(source, kind, slug)
  const began = performance.now()
  const job = await setup.queue(stored, slug)
  let last = ''
  const line: string[] = []
  for (;;) {
    const row = await setup.context.db.selectFrom('jobs').selectAll().where('id', '=', job).executeTakeFirstOrThrow()
    const now = `${row.state} ${row.progress_phase} ${row.progress_message ?? ''}`.replaceAll(/\d+ of/g, 'N of')
    if (now !== last) line.push(`${((performance.now() - began) / 1000).toFixed(2)} ${now}`)
    last = now
    if (row.finished_at) break
    await sleep(10)
  }
  console.log(`${slug}\n${line.join('\n')}\n`)
}
const which = process.argv[2]
if (which !== 'v21') {
  await mkdir(join(folder, 'vectors'))
  const file = join(folder, 'vectors', 'vectors.hdf5')
  await run(await openH5py(), [join(import.meta.dirname, '../formats/hdf5_peer.py'), 'vectors', file, '1000', '300'])
  await follow('hdf5', file, 'vectors')
}
if (which !== 'vectors') {
  await makeV21(join(folder, 'v21'), { episodes: 60, length: 300, width: 640, height: 480 })
  await follow('lerobot', join(folder, 'v21'), 'older')
}
await setup.close()
