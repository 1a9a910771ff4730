import type { FrameRange } from '@nmp/formats/frame-ranges'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packFrames, unpackFrames } from './packed-frames.ts'

/** Ranges that ascend, from the lengths of gaps and stretches. */
const ranges = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 4 })
  .map((steps) => {
    let frame = 0
    return steps.map(([gap, length]): FrameRange => {
      const from = frame + gap
      frame = from + length
      return [from, frame]
    })
  })

test('each episode has the frames that it had, in whatever order it is asked for', () => {
  const kept = fc.array(fc.option(ranges, { nil: undefined }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(kept, fc.infiniteStream(fc.nat()), (episodes, picks) => {
      const frames = new Map(episodes.flatMap((own, episode) => (own ? [[episode, own] as const] : [])))
      const chosen = Uint32Array.from(episodes, () => Number(picks.next().value) % episodes.length)
      const unpacked = unpackFrames(structuredClone(packFrames(frames, chosen)))
      for (const [place, episode] of [...chosen.entries(), ...[...chosen.entries()].reverse()])
        expect(unpacked.get(place)).toEqual(frames.get(episode))
    }),
  )
})
