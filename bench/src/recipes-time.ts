import { createHash } from 'node:crypto'
import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFile } from '../../formats/src/bytes.ts'
import { openVideo } from '../../formats/src/containers/video/video.ts'
import { openFolder } from '../../formats/src/file-tree.ts'
import { openDataset } from '../../formats/src/layouts/index.ts'
import { write } from '../../formats/src/writers/lerobot-v3/writer.ts'
import { openExportSetup } from './exports/export-setup.ts'
import { makeV21 } from './formats/formats-sample.ts'
import { hasHubPeer, skipHubRow, startHubPeer } from './hub/hub-peer.ts'
import type { BenchRow } from './row.ts'

const sample = { episodes: 10_000, length: 60, width: 128, height: 96, stillFrames: 20 }
/** What lerobot records again, of which the whole is reckoned. */
const peerEpisodes = 20

/** Ten thousand episodes without the frames before the arm moves: from the request to the first item, and what was encoded for it. */
export async function benchRecipesTime(): Promise<BenchRow[]> {
  const name = `From "create version" with trim.idle to the first item of LeRobotDataset: ${sample.episodes} episodes of ${sample.length} frames of ${sample.width}x${sample.height}, ${sample.stillFrames} still at the start, against recording the moving frames again with lerobot`
  if (!hasHubPeer()) return [skipHubRow(name)]
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-recipes-time-'))
  const setup = await openExportSetup()
  try {
    const [recorded, stored] = [join(folder, 'v2.1'), join(folder, 'stored')]
    await makeV21(recorded, sample)
    {
      await using dataset = await openDataset(await openFolder(recorded))
      await write(dataset, stored, { cameraStatistics: 'carry' })
    }
    await rm(recorded, { recursive: true })
    const known = await listPackets(stored)
    const datasetId = await setup.publish(stored, 'still')
    await setup.startWorker()
    const env = { HF_ENDPOINT: `${setup.url}/hf`, HF_TOKEN: setup.bearer, HF_HOME: join(folder, 'home') }
    const client = await startHubPeer(['load'], env)
    const target = join(folder, 'moving')
    const source = { dataset_kind: 'project', dataset_id: datasetId }
    const recipe = { trim: { idle: { from: 'start' } } }
    const began = performance.now()
    const body = { slug: 'moving', name: 'Moving', project_slug: 'lab', source, recipe }
    const { item } = await setup.call('POST', setup.versionsPath, body)
    const created = (performance.now() - began) / 1000
    const { episodes } = await client.ask('setup/lab.moving', target)
    const ours = (performance.now() - began) / 1000
    await client.stop()
    const wanted = sample.episodes * (sample.length - sample.stillFrames)
    const frames = (await setup.call('GET', `/api/v1/catalog/datasets/${item.id}`)).item.metrics.total_frames
    if (episodes !== sample.episodes || frames !== wanted) throw new Error(`${episodes} episodes, ${frames} frames`)
    const { encodedBytes, packets } = await countEncoded(target, known)
    const peer = await startHubPeer(['record', stored], { HF_HUB_OFFLINE: '1', SVT_LOG: '1' })
    const again = await peer.ask(String(peerEpisodes), String(sample.stillFrames), join(folder, 'again'))
    await peer.stop()
    const theirs = (again.seconds * sample.episodes) / peerEpisodes
    const row = {
      name,
      ours: `${ours.toFixed(1)} s (created after ${created.toFixed(1)} s)`,
      peer: `${Math.round(theirs)} s`,
      ratio: theirs / ours,
      goal: 'at least 50 times faster',
      met: theirs / ours >= 50,
      note: `lerobot was measured on ${peerEpisodes} episodes, ${again.seconds.toFixed(1)} s, and reckoned linearly; it has the frames on its disk`,
    }
    return [
      row,
      {
        name: 'Video bytes that were encoded for it',
        ours: `${encodedBytes} bytes in ${packets} packets`,
        peer: '0 bytes',
        ratio: encodedBytes === 0 ? 1 : Number.POSITIVE_INFINITY,
        goal: 'none',
        met: encodedBytes === 0 && packets === wanted,
      },
    ]
  } finally {
    await setup.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function* readPackets(folder: string): AsyncGenerator<{ digest: string; bytes: number }> {
  for await (const path of glob('videos/**/*.mp4', { cwd: folder })) {
    await using source = await openFile(join(folder, path))
    await using video = await openVideo(source, { name: path })
    for await (const { data } of video.readPackets(0, video.packets.frameCount))
      yield { digest: createHash('sha1').update(data).digest('base64'), bytes: data.length }
  }
}

async function listPackets(folder: string): Promise<Set<string>> {
  const known = new Set<string>()
  for await (const { digest } of readPackets(folder)) known.add(digest)
  return known
}

/** A packet that the source does not have was encoded. */
async function countEncoded(folder: string, known: ReadonlySet<string>) {
  let [encodedBytes, packets] = [0, 0]
  for await (const { digest, bytes } of readPackets(folder)) {
    packets++
    if (!known.has(digest)) encodedBytes += bytes
  }
  return { encodedBytes, packets }
}
