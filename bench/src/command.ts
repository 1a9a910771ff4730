import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installCommand, type NmpCommand } from '../../e2e/nmp-command.ts'
import { cleanUp, makeFolder, type Program, startProgram } from '../../e2e/program.ts'
import { makeV21 } from './formats/formats-sample.ts'
import type { BenchRow } from './row.ts'
import { uploadByCurl, writeRandomFile } from './storage/curl-upload.ts'
import { measureSeconds } from './timing.ts'

const execute = promisify(execFile)
const rounds = 3

/** The packed `nmp` command against curl on the same file and service, and its start against that of Node itself. */
export const benchCommand = async (): Promise<BenchRow[]> => {
  try {
    const program = await startProgram({ env: { NMP_DEMO: 'account' } })
    const bearer = await program.mustAdmin('session', 'admin@localhost')
    const nmp = await installCommand({
      NMP_BASE_URL: program.url,
      NMP_TOKEN: bearer,
      NMP_ORG: 'admin',
      NMP_PROJECT: 'default',
    })
    const folder = await makeFolder()
    return [
      await benchVersion(nmp),
      await benchUpload(nmp, program, bearer, folder),
      await benchDownload(nmp, program, bearer, folder),
    ]
  } finally {
    await cleanUp()
  }
}

const note = (): string => `best of ${rounds}; load average ${loadavg()[0]?.toFixed(1)}`

async function compare(
  name: string,
  goal: number,
  ours: () => Promise<unknown>,
  peer: () => Promise<unknown>,
): Promise<BenchRow> {
  const [best, bestPeer] = [[] as number[], [] as number[]]
  for (let round = 0; round < rounds; round++) {
    best.push(await measureSeconds(ours))
    bestPeer.push(await measureSeconds(peer))
  }
  const [mine, theirs] = [Math.min(...best), Math.min(...bestPeer)]
  const ratio = mine / theirs
  const show = (seconds: number): string => `${seconds.toFixed(3)} s`
  return {
    name,
    ours: show(mine),
    peer: show(theirs),
    ratio,
    goal: `at most ${goal}`,
    met: ratio <= goal,
    note: note(),
  }
}

const benchVersion = (nmp: NmpCommand): Promise<BenchRow> =>
  compare(
    'nmp --version against node -e 0',
    3,
    () => nmp.mustRun('--version'),
    () => execute('node', ['-e', '0'], { env: nmp.environment }),
  )

async function benchUpload(nmp: NmpCommand, program: Program, bearer: string, folder: string): Promise<BenchRow> {
  const file = join(folder, 'random.hdf5')
  await writeRandomFile(file)
  const byCommand = (): Promise<string> => nmp.mustRun('import', 'file', file, '--no-wait', '-q')
  const byCurl = (): Promise<void> => uploadByCurl(program, bearer, file)
  return compare('upload of 256 MiB by nmp import file against curl and sha256sum', 1.05, byCommand, byCurl)
}

/** A quarter of a gigabyte, so that the line and not the start of a process is measured. */
const sample = { episodes: 24, length: 300, width: 640, height: 480 }

async function benchDownload(nmp: NmpCommand, program: Program, bearer: string, folder: string): Promise<BenchRow> {
  const source = join(folder, 'sample')
  await makeV21(source, sample)
  await rm(join(source, 'one.mp4'), { force: true })
  await rm(join(source, 'one.mp4.seed'), { force: true })
  const job = await nmp.json('import', 'file', source, '--slug', 'sample')
  const { body } = await program.call('GET', `/api/v1/catalog/datasets/${job.dataset_id}`, { bearer })
  const [ours, peer] = [join(folder, 'ours.tar'), join(folder, 'peer.tar')]
  const size = Math.round(body.item.size_bytes / 1e6)
  const byCommand = () => nmp.mustRun('download', 'sample', '-o', ours).then(() => rm(ours))
  const { href } = body.item.export_artifacts[0]
  const byPipe = () => execute('sh', ['-c', 'curl -fsS "$0" | tee "$1" | sha256sum', href, peer]).then(() => rm(peer))
  return compare(`download of ${size} MB by nmp download against curl | tee FILE | sha256sum`, 1.1, byCommand, byPipe)
}
