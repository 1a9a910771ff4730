import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnFeature } from '@nmp/formats/feature'
import { sidecarPath } from '@nmp/formats/lerobot/sidecar'
import { write } from '@nmp/formats/lerobot/writer'
import { createMemoryDataset } from '../../formats/test/memory-dataset.ts'

interface WrittenSource {
  lengths: readonly number[]
  /** Of episode n; default one task for all. */
  taskOf?: (episode: number) => string
  /** What info.json says; default as lerobot writes it. */
  splits?: unknown
  /** What its two columns are called; default as lerobot calls them. */
  names?: readonly [string, string]
}

const column = (name: string): ColumnFeature => ({ kind: 'column', name, dtype: 'float32', shape: [2], names: null })

/** A LeRobot v3 folder without cameras, as another program would have left it: nothing in it is known to be ours. */
export async function writeSource({
  lengths,
  taskOf = () => 'Look around',
  splits,
  names = ['observation.state', 'action'],
}: WrittenSource): Promise<string> {
  const features = names.map(column)
  const folder = await mkdtemp(join(tmpdir(), 'nmp-source-'))
  const episodes = lengths.map((length, episode) => ({
    length,
    tasks: [taskOf(episode)],
    columns: new Map(
      features.map(({ name }, place) => [
        name,
        Float32Array.from({ length: length * 2 }, (_, at) => Math.sin(at * 0.3 + place) + episode),
      ]),
    ),
  }))
  await write(createMemoryDataset(features, episodes), folder)
  await rm(join(folder, sidecarPath))
  if (splits !== undefined) {
    const path = join(folder, 'meta/info.json')
    const info = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify({ ...info, splits }))
  }
  return folder
}
