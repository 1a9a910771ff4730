import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkout } from '../../../../e2e/program.ts'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { damages, noise } from './damage.ts'
import { listMadeHdf5 } from './hdf5-made.ts'
import type { HostileSource } from './import-door.ts'
import { judgeSources } from './lerobot-sets.ts'
import type { Family } from './verdict.ts'

const good = join(checkout, 'formats/test/golden/hdf5/aloha/source/episode_0.hdf5')
const bombs = join(checkout, 'formats/test/golden/hdf5-bombs')

/** Fields of the superblock, and what they say instead. */
const superblock: [name: string, offset: number, bytes: string][] = [
  ['version 255', 8, 'ff'],
  ['offsets of no size', 13, '00'],
  ['offsets of 255 bytes', 13, 'ff'],
  ['lengths of no size', 14, '00'],
  ['groups of 65,535 entries', 16, 'ffffffff'],
  ['a base address behind the end', 24, 'ffffffffffffff7f'],
  ['an end behind the end', 40, 'ffffffffffffff7f'],
  ['an end at the beginning', 40, '0000000000000000'],
  ['a root that is the superblock', 64, '0000000000000000'],
  ['a root behind the end', 64, 'ffffffffffffff7f'],
]

const marks: [name: string, mark: string, offset: number, bytes: string][] = [
  ['a heap without end', 'HEAP', 8, 'ffffffffffffff7f'],
  ['a heap of noughts', 'HEAP', 4, '000000000000000000000000'],
  ['a tree that is its own child', 'TREE', 24, '6000000000000000'],
  ['a tree of 65,535 entries', 'TREE', 6, 'ffff'],
  ['a tree of 255 levels', 'TREE', 5, 'ff'],
  ['a table of 65,535 symbols', 'SNOD', 6, 'ffff'],
  ['symbols without names', 'SNOD', 8, 'ffffffffffffffff'],
]

const overwrite = (bytes: Buffer, at: number, hex: string): Buffer => {
  const changed = Buffer.from(bytes)
  Buffer.from(hex, 'hex').copy(changed, at)
  return changed
}

const fileOf = (name: string, read: () => Promise<Buffer>, file = 'episode_0.hdf5'): HostileSource => ({
  name,
  kind: 'hdf5',
  files: async () => [[file, await read()]],
})

async function listHdf5Cases(seed: number): Promise<HostileSource[]> {
  const whole = await readFile(good)
  const inFolder = async (folder: string, what: string): Promise<HostileSource[]> =>
    (await readdir(folder))
      .filter((name) => !/\.(py|txt)$/.test(name))
      .toSorted()
      .map((name) =>
        fileOf(`${what} ${name}`, () => readFile(join(folder, name)), /\.h(df)?5$/.test(name) ? name : `${name}.h5`),
      )
  return [
    ...Object.entries(damages).map(([name, damage]) => fileOf(name, async () => damage(whole, seed))),
    ...superblock.map(([name, at, hex]) => fileOf(name, async () => overwrite(whole, at, hex))),
    ...marks.map(([name, mark, offset, hex]) =>
      fileOf(name, async () => overwrite(whole, whole.indexOf(mark, 0, 'latin1') + offset, hex)),
    ),
    ...Array.from({ length: 8 }, (_, index) =>
      fileOf(`a kilobyte of noise at ${index} eighths`, async () => {
        const changed = Buffer.from(whole)
        noise(1024, seed + index).copy(changed, Math.floor((whole.length * index) / 8) + 96)
        return changed
      }),
    ),
    ...(await listMadeHdf5()),
    ...(await inFolder(bombs, 'bomb')),
    ...(await inFolder(getFixture('hdf5-hostile'), 'reproducer')),
  ]
}

export const hdf5Files: Family = {
  name: 'hdf5',
  title: 'hostile HDF5 files, imported',
  bar: 'the same',
  run: async function* (ground) {
    yield* judgeSources(ground, await listHdf5Cases(ground.seed))
  },
}
