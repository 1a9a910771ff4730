import { createHash } from 'node:crypto'
import type { Rule } from '../rule.ts'

export const duplicate: Rule = {
  id: 'duplicate',
  family: 'sets',
  kind: 'flag',
  severity: 'warning',
  unit: 'earlier episodes',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence: 'State and action of an episode are, to the last bit, those of more than this many earlier ones.',
  remedy: 'Leave it out: it counts twice in training, and leaks where one of the two is in another split.',
  begin: (set, report) => {
    const seen = new Map<string, number[]>()
    const isShared = findShared(set.lengths)
    return {
      look({ position, frames, state, action }) {
        if (set.scale?.state === 'still' || frames < 2 || (!state && !action)) return
        // What was too long to be held is compared by its first frames.
        if (!isShared[position] && frames === set.lengths[position]) return
        const hash = createHash('sha256')
        for (const rows of [state, action])
          if (rows) hash.update(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength))
        const key = hash.digest('base64')
        const earlier = seen.get(key) ?? []
        if (earlier.length > report.cutOff) {
          const sentence = `Its state and action are those of episode ${set.sourceIndexOf(earlier[0] as number)}.`
          report.flag({ position, frames: [0, frames] }, earlier.length, sentence)
        }
        seen.set(key, [...earlier, position].slice(0, 1000))
      },
    }
  },
}

/** By position: whether another episode is as long. Only those are worth a digest. */
function findShared(lengths: Uint32Array): Uint8Array {
  const counts = new Map<number, number>()
  for (const length of lengths) counts.set(length, (counts.get(length) ?? 0) + 1)
  return Uint8Array.from(lengths, (length) => Number((counts.get(length) ?? 0) > 1))
}
