import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { checkout } from '../../../../e2e/program.ts'
import type { HostileSource } from './import-door.ts'

/** Small sets with a camera, three episodes each: one file an episode, and all in one file. */
const bases = { 'v2.1': 'v2.1-pandas-output', 'v3.0': 'v3.0-converter-output' } as const
export type Base = keyof typeof bases

export const files = {
  'v2.1': {
    info: 'meta/info.json',
    episodes: 'meta/episodes.jsonl',
    tasks: 'meta/tasks.jsonl',
    statistics: 'meta/episodes_stats.jsonl',
    data: 'data/chunk-000/episode_000000.parquet',
    video: 'videos/chunk-000/observation.images.front/episode_000000.mp4',
  },
  'v3.0': {
    info: 'meta/info.json',
    episodes: 'meta/episodes/chunk-000/file-000.parquet',
    tasks: 'meta/tasks.parquet',
    statistics: 'meta/stats.json',
    data: 'data/chunk-000/file-000.parquet',
    video: 'videos/observation.images.front/chunk-000/file-000.mp4',
  },
} as const satisfies Record<Base, Record<string, string>>

export type Make = (good: Buffer) => Buffer | Promise<Buffer>

/** A good set in which one file is another. */
export const changeSet = (name: string, base: Base, file: string, make: Make): HostileSource => ({
  name: `${base}: ${name}`,
  kind: 'lerobot',
  files: async () => {
    const set = await readSet(base)
    const good = set.get(file)
    if (!good) throw new Error(`${base} has no ${file}`)
    return [...set.set(file, await make(good))]
  },
})

/** A good set whose files are other ones, or have other names. */
export const rearrangeSet = (
  name: string,
  base: Base,
  arrange: (set: Map<string, Buffer>) => [string, Buffer][],
): HostileSource => ({ name: `${base}: ${name}`, kind: 'lerobot', files: async () => arrange(await readSet(base)) })

const read = new Map<Base, Map<string, Buffer>>()

/** Names and bytes of a good set, to be changed at will. */
export async function readSet(base: Base): Promise<Map<string, Buffer>> {
  let set = read.get(base)
  if (!set) {
    const folder = join(checkout, 'formats/test/golden/lerobot', bases[base])
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const named = paths
      .map((path) => [relative(folder, path).split(sep).join('/'), path] as const)
      .filter(([name]) => name !== 'expected.json')
    set = new Map(await Promise.all(named.map(async ([name, path]) => [name, await readFile(path)] as const)))
    read.set(base, set)
  }
  return new Map(set)
}
