import h5wasm, { type Group, ready } from 'h5wasm'
import type { HostileSource } from './import-door.ts'
import { escapeMark } from './leftovers.ts'

type File = InstanceType<typeof h5wasm.File>
type Fill = (file: File) => void

const frames = 20
const rows = (width: number, value: (at: number) => number = (at) => at): Float32Array =>
  Float32Array.from({ length: frames * width }, (_, at) => value(at))
const add = (group: Group, name: string, data: Float32Array, shape: number[]): void => {
  group.create_dataset({ name, data, shape })
}
/** An episode as ACT writes it, without cameras. */
const episode = (file: File, { action = rows(2), state = rows(2), shape = [frames, 2] } = {}): Group => {
  add(file, 'action', action, shape)
  const observations = file.create_group('observations')
  add(observations, 'qpos', state, shape)
  return observations
}

/** What a file can hold that is well formed and means harm. */
const made: [name: string, fill: Fill][] = [
  ['nothing', () => {}],
  ['a soft link to itself', (file) => file.create_soft_link('/action', 'action')],
  [
    'soft links in a ring',
    (file) => {
      file.create_soft_link('/b', 'a')
      file.create_soft_link('/a', 'b')
      episode(file)
    },
  ],
  [
    'a soft link to nothing',
    (file) => {
      episode(file)
      file.create_soft_link('/nowhere/at/all', 'gone')
    },
  ],
  [
    'a soft link that leads out',
    (file) => {
      episode(file)
      file.create_soft_link(`/../../../${escapeMark}`, 'out')
    },
  ],
  [
    'an external link',
    (file) => {
      episode(file)
      file.create_external_link('/etc/passwd', '/', 'passwd')
    },
  ],
  [
    'an external link instead of the actions',
    (file) => {
      file.create_group('observations')
      file.create_external_link('../other.h5', '/action', 'action')
    },
  ],
  [
    'a group in itself',
    (file) => {
      const group = file.create_group('loop')
      episode(file)
      file.create_hard_link('/loop', '/loop/again')
      add(group, 'x', rows(1), [frames])
    },
  ],
  [
    'the root in the root',
    (file) => {
      episode(file)
      file.create_hard_link('/', 'root')
    },
  ],
  [
    'five hundred groups',
    (file) => {
      for (let index = 0; index < 500; index++) file.create_group(`demo_${index}`)
    },
  ],
  [
    'actions of text',
    (file) => {
      file.create_dataset({ name: 'action', data: Array.from({ length: frames }, () => 'left') })
      add(file.create_group('observations'), 'qpos', rows(2), [frames, 2])
    },
  ],
  [
    'actions of one number',
    (file) => {
      file.create_dataset({ name: 'action', data: 7 })
    },
  ],
  [
    'actions of no frame',
    (file) => episode(file, { action: new Float32Array(0), state: new Float32Array(0), shape: [0, 2] }),
  ],
  [
    'actions of no width',
    (file) => episode(file, { action: new Float32Array(0), state: new Float32Array(0), shape: [frames, 0] }),
  ],
  ['actions without end', (file) => episode(file, { action: rows(2, () => Number.POSITIVE_INFINITY) })],
  ['actions that are no number', (file) => episode(file, { action: rows(2, () => Number.NaN) })],
  ['actions of eight dimensions', (file) => add(file, 'action', rows(2), [frames, 1, 1, 1, 1, 1, 1, 2])],
  ['actions of a million columns', (file) => add(file, 'action', new Float32Array(1_000_000), [1, 1_000_000])],
  [
    'states that are shorter',
    (file) => {
      add(file, 'action', rows(2), [frames, 2])
      add(file.create_group('observations'), 'qpos', new Float32Array(2), [1, 2])
    },
  ],
  [
    'pictures that are none',
    (file) => {
      const images = episode(file).create_group('images')
      images.create_dataset({ name: 'top', data: new Uint8Array(frames * 64).fill(255), shape: [frames, 64] })
    },
  ],
  [
    'pictures of one pixel',
    (file) => {
      const images = episode(file).create_group('images')
      images.create_dataset({ name: 'top', data: new Uint8Array(frames * 3), shape: [frames, 1, 1, 3] })
    },
  ],
  [
    'pictures of nine channels',
    (file) => {
      const images = episode(file).create_group('images')
      images.create_dataset({ name: 'top', data: new Uint8Array(frames * 16 * 9), shape: [frames, 4, 4, 9] })
    },
  ],
  [
    'a camera that leads out',
    (file) => {
      const images = episode(file).create_group('images')
      images.create_dataset({ name: `..${escapeMark}`, data: new Uint8Array(frames * 12), shape: [frames, 2, 2, 3] })
    },
  ],
  [
    'a group with the name of a prototype',
    (file) => {
      const group = file.create_group('__proto__')
      add(group, 'constructor', rows(1), [frames])
      episode(file)
    },
  ],
  [
    'a name that controls a terminal',
    (file) => {
      episode(file)
      add(file, '\u001b]0;owned\u0007', rows(1), [frames])
    },
  ],
  [
    'a name of sixty kilobytes',
    (file) => {
      episode(file)
      add(file, 'n'.repeat(60_000), rows(1), [frames])
    },
  ],
  [
    'an attribute of sixty kilobytes',
    (file) => {
      episode(file)
      file.create_attribute('sim', 'x'.repeat(60_000))
    },
  ],
  [
    'attributes that lie',
    (file) => {
      episode(file)
      file.create_attribute('compress', 1)
      file.create_attribute('total', -1)
      file.create_attribute('fps', Number.NaN)
    },
  ],
  [
    'arguments that are no JSON',
    (file) => {
      const data = file.create_group('data')
      data.create_attribute('env_args', '{"env_name":'.repeat(500))
      data.create_attribute('total', 1e300)
      const demo = data.create_group('demo_0')
      add(demo, 'actions', rows(2), [frames, 2])
    },
  ],
  [
    'demos out of order',
    (file) => {
      const data = file.create_group('data')
      for (const name of ['demo_-1', 'demo_99999999999999999999', 'demo_x', 'demo_1e3'])
        add(data.create_group(name), 'actions', rows(2), [frames, 2])
    },
  ],
  [
    'chunks of one value',
    (file) => {
      file.create_dataset({
        name: 'action',
        data: new Float32Array(20_000),
        shape: [10_000, 2],
        chunks: [1, 1],
        compression: 'gzip',
        compression_opts: 9,
      })
    },
  ],
  [
    'sixteen megabytes of noughts in a few kilobytes',
    (file) => {
      file.create_dataset({
        name: 'action',
        data: new Float32Array(4_000_000),
        shape: [2_000_000, 2],
        chunks: [100_000, 2],
        compression: 'gzip',
        compression_opts: 9,
      })
    },
  ],
]

export async function listMadeHdf5(): Promise<HostileSource[]> {
  const { FS } = await ready
  return made.map(([name, fill], index) => ({
    name: `made: ${name}`,
    kind: 'hdf5',
    files: async () => {
      const path = `/hostile-${index}.h5`
      const file = new h5wasm.File(path, 'w')
      fill(file)
      file.close()
      const bytes = Buffer.from(FS.readFile(path))
      FS.unlink(path)
      return [['episode_0.hdf5', bytes]]
    },
  }))
}
