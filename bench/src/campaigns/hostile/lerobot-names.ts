import { gzipSync } from 'node:zlib'
import { writeZip, type ZipEntry } from '../../../../server/test/zip-writer.ts'
import type { HostileSource } from './import-door.ts'
import { escapeMark } from './leftovers.ts'
import { rearrangeSet } from './lerobot-set.ts'
import { type TarEntry, writeTar } from './tar-writer.ts'

type Set = Map<string, Buffer>
const text = Buffer.from('hostile')

/** One more file under a name that leads somewhere else. */
const names = [
  `../${escapeMark}`,
  `../../../../../../tmp/${escapeMark}`,
  `/tmp/${escapeMark}`,
  `data/../../${escapeMark}`,
  `data\\..\\..\\${escapeMark}`,
  `C:\\${escapeMark}`,
  `file:///tmp/${escapeMark}`,
  `..%2f..%2f${escapeMark}`,
  `data/\0${escapeMark}`,
  `data/${escapeMark}\n`,
  '.',
  '..',
  'data/',
  '//',
  '',
  'meta/info.json/more',
  'meta',
  'META/INFO.JSON',
  'data/chunk-000',
  'x'.repeat(300),
  `${'d/'.repeat(400)}x`,
  'data/\u202egnp.exe',
  '.git/hooks/post-checkout',
  'con',
]

const arrangements: [name: string, arrange: (set: Set) => [string, Buffer][]][] = [
  ['info.json twice', (set) => [...set, ['meta/info.json', text]]],
  ['two thousand files more', (set) => [...set, ...many(2000, (index) => `extra/${index}.txt`, text)]],
  ['nothing but info.json', (set) => [...set].filter(([name]) => name === 'meta/info.json')],
  ['no video', (set) => [...set].filter(([name]) => !name.startsWith('videos/'))],
  ['no data', (set) => [...set].filter(([name]) => !name.startsWith('data/'))],
  [
    'videos in the place of data',
    (set) => [...set].map(([name, bytes]) => [name, name.startsWith('data/') ? video(set) : bytes]),
  ],
  ['all of it in a folder of a folder', (set) => [...set].map(([name, bytes]) => [`a/b/c/${name}`, bytes])],
  [
    'two sets side by side',
    (set) =>
      [...set].flatMap(
        ([name, bytes]) =>
          [
            [`a/${name}`, bytes],
            [`b/${name}`, bytes],
          ] as [string, Buffer][],
      ),
  ],
]

const video = (set: Set): Buffer => [...set].find(([name]) => name.endsWith('.mp4'))?.[1] ?? text
const many = (count: number, name: (index: number) => string, bytes: Buffer): [string, Buffer][] =>
  Array.from({ length: count }, (_, index) => [name(index), bytes])

/** What comes along in a tar beside a good set. */
const tars: [name: string, entries: TarEntry[]][] = [
  ['a name that leads out', [{ name: `../${escapeMark}`, bytes: text }]],
  ['an absolute name', [{ name: `/tmp/${escapeMark}`, bytes: text }]],
  ['a link that leads out', [{ name: 'data/link', type: '2', linkTo: '/etc/passwd' }]],
  [
    'a link to a folder, and a file behind it',
    [
      { name: 'out', type: '2', linkTo: '/tmp' },
      { name: `out/${escapeMark}`, bytes: text },
    ],
  ],
  ['a link to itself', [{ name: 'loop', type: '2', linkTo: 'loop' }]],
  ['a hard link that leads out', [{ name: 'hard', type: '1', linkTo: '/etc/passwd' }]],
  ['a device', [{ name: 'device', type: '3' }]],
  ['a pipe', [{ name: 'pipe', type: '6' }]],
  ['a folder in the place of a file', [{ name: 'meta/info.json', type: '5' }]],
  ['a file in the place of a folder', [{ name: 'data', bytes: text }]],
  ['the same file twice', [{ name: 'meta/info.json', bytes: text }]],
  ['a size that lies', [{ name: 'lie', bytes: text, size: 8 ** 10 }]],
  ['a checksum that lies', [{ name: 'lie', bytes: text, sum: 1 }]],
  [
    'a name without end',
    [{ name: `${'n'.repeat(90)}/`.repeat(60), type: 'L', bytes: Buffer.from('m'.repeat(70_000)) }],
  ],
  ['a sparse file', [{ name: 'sparse', type: 'S', bytes: text }]],
  ['a pax header that lies', [{ name: 'pax', type: 'x', bytes: Buffer.from('99999999999 path=x\n') }]],
]

const zips: [name: string, entries: ZipEntry[]][] = [
  ['a name that leads out', [{ name: `../${escapeMark}`, content: text }]],
  ['a name with backslashes', [{ name: `..\\..\\${escapeMark}`, content: text }]],
  ['a link', [{ name: 'link', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]],
  ['a sum that lies', [{ name: 'lie', content: text, sum: 7 }]],
  ['a size that lies', [{ name: 'lie', content: text, sizeBytes: 0x7fffffff }]],
  ['a bomb', [{ name: 'zeros', content: Buffer.alloc(64 << 20) }]],
  ['an encrypted file', [{ name: 'locked', content: text, flags: 0x801 }]],
  ['a method that nobody knows', [{ name: 'odd', content: text, method: 99 }]],
  [
    'files that share their bytes',
    [
      { name: 'a', content: text },
      { name: 'b', content: text, overlapsPrevious: true },
    ],
  ],
]

export function listNameCases(): HostileSource[] {
  const inTar = (entries: TarEntry[]) => (set: Set) =>
    writeTar([...[...set].map(([name, bytes]) => ({ name, bytes })), ...entries])
  const inZip = (entries: ZipEntry[]) => (set: Set) =>
    writeZip([...[...set].map(([name, content]) => ({ name, content })), ...entries])
  return [
    ...names.map((name) =>
      rearrangeSet(`a file called ${JSON.stringify(name).slice(0, 50)}`, 'v2.1', (set) => [...set, [name, text]]),
    ),
    ...arrangements.map(([name, arrange]) => rearrangeSet(name, 'v3.0', arrange)),
    ...tars.map(([name, entries]) =>
      rearrangeSet(`tar.gz with ${name}`, 'v3.0', (set) => [['set.tar.gz', gzipSync(inTar(entries)(set))]]),
    ),
    ...zips.map(([name, entries]) =>
      rearrangeSet(`zip with ${name}`, 'v3.0', (set) => [['set.zip', inZip(entries)(set)]]),
    ),
    rearrangeSet('a tar.gz that is cut', 'v3.0', (set) => [['set.tar.gz', gzipSync(inTar([])(set)).subarray(0, 3000)]]),
    rearrangeSet('a zip in a zip', 'v3.0', (set) => [
      ['set.zip', writeZip([{ name: 'set.zip', content: inZip([])(set) }])],
    ]),
    rearrangeSet('a gigabyte of noughts', 'v3.0', () => [['set.tar.gz', zerosBomb()]]),
  ]
}

/** A tar whose one file is a gigabyte of noughts, in a megabyte. */
const zerosBomb = (): Buffer => {
  const head = writeTar([{ name: 'zeros', size: 1 << 30 }]).subarray(0, 512)
  const piece = gzipSync(Buffer.alloc(64 << 20), { level: 9 })
  return Buffer.concat([gzipSync(head), ...Array.from({ length: 16 }, () => piece)])
}
