import { createRandom } from '../../../../server/test/chaos/random.ts'

type Damage = (good: Buffer, seed: number) => Buffer

/** A byte of `share` from the start to the end. */
const at = (good: Buffer, share: number): number => Math.floor((good.length - 1) * share)

const flip =
  (count: number, from: number, to: number): Damage =>
  (good, seed) => {
    const changed = Buffer.from(good)
    const random = createRandom(seed)
    for (let flips = 0; flips < count; flips++) {
      const place = at(good, from + random() * (to - from))
      changed[place] = (changed[place] ?? 0) ^ (1 << Math.floor(random() * 8))
    }
    return changed
  }

/** What can be done to any file without knowing what is in it. */
export const damages: Record<string, Damage> = {
  empty: () => Buffer.alloc(0),
  'one byte': (good) => good.subarray(0, 1),
  'its first four bytes': (good) => good.subarray(0, 4),
  'a quarter of it': (good) => good.subarray(0, at(good, 0.25)),
  'three quarters of it': (good) => good.subarray(0, at(good, 0.75)),
  'all but its last byte': (good) => good.subarray(0, good.length - 1),
  'all but its first byte': (good) => good.subarray(1),
  'itself twice': (good) => Buffer.concat([good, good]),
  'noise behind it': (good, seed) => Buffer.concat([good, noise(4096, seed)]),
  zeros: (good) => Buffer.alloc(good.length),
  noise: (good, seed) => noise(good.length, seed),
  'a bit flipped': flip(1, 0, 1),
  'sixteen bits flipped': flip(16, 0, 1),
  'bits flipped in its first tenth': flip(12, 0, 0.1),
  'bits flipped in its middle': flip(12, 0.4, 0.6),
  'bits flipped in its last tenth': flip(12, 0.9, 1),
  'a hole of zeros': (good) => Buffer.from(good).fill(0, at(good, 0.3), at(good, 0.6)),
  'a page of HTML': () => Buffer.from('<!doctype html><title>403</title><p>Access denied</p>'),
  'an LFS pointer': () =>
    Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 99999999999\n`),
}

export function noise(length: number, seed: number): Buffer {
  const random = createRandom(seed)
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
}
