import { damages } from './damage.ts'
import type { HostileSource } from './import-door.ts'
import { type Base, changeSet, files, type Make } from './lerobot-set.ts'

const sizeBytes = 4

/** Where a box begins. */
function findBox(bytes: Buffer, type: string): number {
  const at = bytes.indexOf(type, 0, 'latin1')
  if (at < sizeBytes) throw new Error(`there is no box ${type}`)
  return at - sizeBytes
}

const withWord = (bytes: Buffer, at: number, value: number): Buffer => {
  const changed = Buffer.from(bytes)
  changed.writeUInt32BE(value, at)
  return changed
}

const sized =
  (type: string, size: number): Make =>
  (good) =>
    withWord(good, findBox(good, type), size)
const renamed =
  (type: string, to: string): Make =>
  (good) =>
    Buffer.from(good.toString('latin1').replace(type, to), 'latin1')
/** A word of what is in a box, counted in bytes from its beginning. */
const worded =
  (type: string, offset: number, value: number): Make =>
  (good) =>
    withWord(good, findBox(good, type) + offset, value)

const largest = 0xffffffff
const sizes = [0, 1, largest]
const boxes = [
  'ftyp',
  'moov',
  'mvhd',
  'trak',
  'tkhd',
  'mdia',
  'mdhd',
  'hdlr',
  'minf',
  'stbl',
  'stsd',
  'stts',
  'stsc',
  'stsz',
  'stco',
  'mdat',
]

/** Places in tables that count, measure or point. */
const words: [name: string, type: string, offset: number, value: number][] = [
  ['no ticks a second', 'mdhd', 20, 0],
  ['four billion ticks a second', 'mdhd', 20, largest],
  ['a duration without end', 'mdhd', 24, largest],
  ['a movie without ticks', 'mvhd', 20, 0],
  ['no entry of times', 'stts', 12, 0],
  ['four billion entries of times', 'stts', 12, largest],
  ['frames that take no time', 'stts', 20, 0],
  ['frames that take four billion ticks', 'stts', 20, largest],
  ['four billion frames in one entry', 'stts', 16, largest],
  ['four billion chunk entries', 'stsc', 12, largest],
  ['chunks that begin at nought', 'stsc', 16, 0],
  ['four billion frames in a chunk', 'stsc', 20, largest],
  ['no frame in a chunk', 'stsc', 20, 0],
  ['a description that is not there', 'stsc', 24, 99],
  ['four billion frames of one byte', 'stsz', 12, 1],
  ['four billion sizes', 'stsz', 16, largest],
  ['no size', 'stsz', 16, 0],
  ['a frame of four gigabytes', 'stsz', 20, largest],
  ['four billion chunks', 'stco', 12, largest],
  ['a chunk behind the end', 'stco', 16, largest],
  ['a chunk at the beginning', 'stco', 16, 0],
  ['four billion descriptions', 'stsd', 12, largest],
  ['no description', 'stsd', 12, 0],
  ['a picture of no width', 'tkhd', 84, 0],
  ['a picture of 65,535 by 65,535', 'avc1', 32, largest],
]

const impostors: [name: string, bytes: Buffer][] = [
  ['a play list', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
  ['a list of files', Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
  ['a DASH manifest', Buffer.from('<MPD><BaseURL>file:///etc/passwd</BaseURL></MPD>')],
  [
    'a picture with a script',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
  ],
  [
    'a GIF',
    Buffer.from('47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b', 'hex'),
  ],
  ['an ftyp and nothing else', Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex')],
  ['a thousand boxes in boxes', nest(1000)],
  [
    'a hundred thousand boxes',
    Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from('0000000866726565', 'hex'))),
  ],
]

function nest(levels: number): Buffer {
  let inner = Buffer.alloc(0)
  for (let level = 0; level < levels; level++) {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(inner.length + 8)
    head.write('moov', 4, 'latin1')
    inner = Buffer.concat([head, inner])
  }
  return inner
}

export function listVideoCases(seed: number): HostileSource[] {
  const change = (base: Base, name: string, make: Make): HostileSource =>
    changeSet(`video: ${name}`, base, files[base].video, make)
  return [
    ...boxes.flatMap((type, index) => [
      change('v3.0', `${type} without a name`, renamed(type, 'free')),
      // Nought means to the end of the file, one that 64 bits follow.
      change('v2.1', `${type} of size ${sizes[index % 3]}`, sized(type, sizes[index % 3] ?? 0)),
    ]),
    ...words.map(([name, type, offset, value]) => change('v3.0', name, worded(type, offset, value))),
    ...impostors.map(([name, bytes]) => change('v2.1', name, () => bytes)),
    ...Object.entries(damages)
      .filter((_, index) => index % 2 === 1)
      .map(([name, damage]) => change('v2.1', name, (good) => damage(good, seed))),
  ]
}
