import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { write } from '../../../formats/src/writers/lerobot-v3/writer.ts'
import { type ExportSetup, openExportSetup } from '../exports/export-setup.ts'
import { makeV21, type SampleOptions } from '../formats/formats-sample.ts'
import type { BenchRow } from '../row.ts'
import { median } from '../timing.ts'
import { hasHubPeer, skipHubRow, startHubPeer, waitForEnd } from './hub-peer.ts'

const rounds = 3
/** "Starts loading in seconds". */
const boundSeconds = 5

/** The Hub door with stock clients; clients, worker and static server run in processes of their own. */
export async function benchHub(): Promise<BenchRow[]> {
  if (!hasHubPeer()) return [skipHubRow('The Hub door with lerobot 0.6.1')]
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-hub-'))
  const setup = await openExportSetup()
  try {
    return [await benchSnapshot(setup, folder), ...(await benchSubset(setup, folder))]
  } finally {
    await setup.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** As an import stores it, in LeRobot v3; imports have a bench of their own. */
async function publish(setup: ExportSetup, folder: string, slug: string, sample: SampleOptions): Promise<string> {
  const [recorded, stored] = [join(folder, `${slug}-v2.1`), join(folder, slug)]
  await makeV21(recorded, sample)
  {
    await using dataset = await openDataset(await openFolder(recorded))
    await write(dataset, stored, { cameraStatistics: 'carry' })
  }
  const published = await setup.publish(stored, slug)
  for (const path of [recorded, stored]) await rm(path, { recursive: true })
  return published
}

async function benchSnapshot(setup: ExportSetup, folder: string): Promise<BenchRow> {
  await publish(setup, folder, 'snapshot', { episodes: 68, length: 300, width: 640, height: 480 })
  const peer = await startHubPeer(['snapshot'])
  const served = join(folder, 'served')
  const ours = { endpoint: `${setup.url}/hf`, token: setup.bearer, repo: 'setup/lab.snapshot' }
  const ask = ({ endpoint, token: key, repo }: typeof ours, home: string) => peer.ask(endpoint, key, repo, home)
  await fetchFolder(setup, served)
  const fixed = spawn(process.execPath, [join(import.meta.dirname, 'hub-static-server.ts'), served], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(fixed.stdout, 'data')
  const theirs = { endpoint: String(line).trim(), token: 'none', repo: 'lab/set' }
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
  let bytes = 0
  for (let round = 0; round < rounds; round++) {
    times.theirs.push((await ask(theirs, join(folder, `home-static-${round}`))).seconds)
    const result = await ask(ours, join(folder, `home-ours-${round}`))
    times.ours.push(result.seconds)
    bytes = result.bytes ?? 0
  }
  fixed.kill()
  await waitForEnd(fixed)
  await peer.stop()
  const [mine, static_] = [median(times.ours), median(times.theirs)]
  process.stderr.write(`  snapshots: ${JSON.stringify(times)}\n`)
  return {
    name: `snapshot_download of ${Math.round(bytes / 1e6)} MB from nmp, against a static server that answers the same protocol`,
    ours: `${mine.toFixed(2)} s`,
    peer: `${static_.toFixed(2)} s`,
    ratio: mine / static_,
    goal: 'at most 1.2 times',
    met: mine / static_ <= 1.2,
    note: `median of ${rounds}, in turn; huggingface_hub 1.33`,
  }
}

/** The dataset as the door serves it, as a folder. */
async function fetchFolder({ url, bearer }: ExportSetup, folder: string): Promise<void> {
  const headers = { authorization: `Bearer ${bearer}` }
  const tree = await fetch(`${url}/hf/api/datasets/setup/lab.snapshot/tree/main?recursive=true`, { headers })
  for (const { type, path } of (await tree.json()) as { type: string; path: string }[]) {
    if (type !== 'file') continue
    const { body } = await fetch(`${url}/hf/datasets/setup/lab.snapshot/resolve/main/${path}`, { headers })
    await mkdir(join(folder, path, '..'), { recursive: true })
    if (body) await writeFile(join(folder, path), body)
  }
}

interface Client {
  ask(...args: string[]): Promise<{ seconds: number; episodes?: number }>
}

/** Seconds from the request that creates a version of 50 episodes to its first item, in the middle of the rounds. */
async function loadSubsets(setup: ExportSetup, client: Client, dataset: string, prefix: string, folder: string) {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const slug = `${prefix}-${round}`
    const began = performance.now()
    await setup.call('POST', setup.versionsPath, {
      slug,
      name: slug,
      project_slug: 'lab',
      source: { dataset_kind: 'project', dataset_id: dataset },
      recipe: { selected_episode_indices: Array.from({ length: 50 }, (_, index) => index * 2 + round) },
    })
    const { episodes } = await client.ask(`setup/lab.${slug}`, join(folder, slug))
    times.push((performance.now() - began) / 1000)
    if (episodes !== 50) throw new Error(`the subset has ${episodes} episodes`)
  }
  return median(times)
}

async function benchSubset(setup: ExportSetup, folder: string): Promise<BenchRow[]> {
  const dataset = await publish(setup, folder, 'subset', { episodes: 110, length: 300, width: 320, height: 240 })
  const thousand = await publish(setup, folder, 'thousand', { episodes: 1000, length: 100, width: 128, height: 96 })
  await setup.startWorker()
  const env = { HF_ENDPOINT: `${setup.url}/hf`, HF_TOKEN: setup.bearer, HF_HOME: join(folder, 'home-load') }
  const client = await startHubPeer(['load'], env)
  const ours = await loadSubsets(setup, client, dataset, 'fifty', folder)
  const small = await loadSubsets(setup, client, thousand, 'fifty-of-thousand', folder)
  await client.ask('setup/lab.subset', join(folder, 'whole'))
  await client.stop()
  process.stderr.write(`  subsets: ${ours.toFixed(2)} s and ${small.toFixed(2)} s\n`)
  const peer = await startHubPeer(['delete', join(folder, 'whole')], { HF_HUB_OFFLINE: '1' })
  const theirs = await peer.ask('50', join(folder, 'deleted'))
  await peer.stop()
  return [
    {
      name: 'From "create version" to the first item in a LeRobotDataset: 50 of 110 episodes (15,000 frames of 320x240), against lerobot’s delete_episodes and a load',
      ours: `${ours.toFixed(2)} s`,
      peer: `${theirs.seconds.toFixed(1)} s`,
      ratio: theirs.seconds / ours,
      goal: 'at least 20 times faster',
      met: theirs.seconds / ours >= 20,
      note: `median of ${rounds}, libraries loaded beforehand; lerobot has the episodes on its disk, ours makes the subset and fetches it by HTTP`,
    },
    {
      name: 'The same for 50 of 1,000 episodes (5,000 frames of 128x96), against a bound',
      ours: `${small.toFixed(2)} s`,
      peer: `${boundSeconds.toFixed(2)} s`,
      ratio: small / boundSeconds,
      goal: 'below 1',
      met: small < boundSeconds,
    },
  ]
}
