import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getZoom, ZoomWindow } from './zoom.ts'

const frames = fc.integer({ min: 1, max: 20_000 })
const share = fc.double({ min: -2, max: 3, noNaN: true })
const act = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), a: share, b: share }),
  fc.record({
    kind: fc.constant('scale' as const),
    a: fc.double({ min: 0.01, max: 20, noNaN: true }),
    b: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('move' as const), a: share, b: share }),
  fc.record({ kind: fc.constant('follow' as const), a: fc.double({ min: 0, max: 1, noNaN: true }), b: share }),
)

test('whatever is done, the window lies inside the episode and is no narrower than sixteen frames', () => {
  fc.assert(
    fc.property(frames, fc.array(act, { maxLength: 30 }), (count, acts) => {
      const zoom = new ZoomWindow()
      for (const { kind, a, b } of acts) {
        if (kind === 'set') zoom.set(a, b, count)
        else if (kind === 'scale') zoom.scale(a, b, count)
        else if (kind === 'move') zoom.move(a, count)
        else zoom.follow(a, count)
        const { from, to } = zoom.share.get()
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeLessThanOrEqual(1 + 1e-9)
        expect(to - from).toBeGreaterThanOrEqual(Math.min(1, 16 / Math.max(1, count - 1)) - 1e-9)
      }
    }),
  )
})

test('the place under the pointer stays where it is', () => {
  const zoom = new ZoomWindow()
  zoom.set(0.2, 0.6, 1000)
  zoom.scale(0.5, 0.3, 1000)
  const { from, to } = zoom.share.get()
  expect(to - from).toBeCloseTo(0.2)
  expect((0.3 - from) / (to - from)).toBeCloseTo((0.3 - 0.2) / 0.4)
})

test('two frames become the edges', () => {
  const zoom = new ZoomWindow()
  zoom.show(100, 300, 1001)
  expect(zoom.share.get().from).toBeCloseTo(0.1)
  expect(zoom.share.get().to).toBeCloseTo(0.3)
  expect(zoom.isZoomed).toBe(true)
})

test('the page turns when the playhead leaves the window, and only then', () => {
  const zoom = new ZoomWindow()
  zoom.set(0.2, 0.4, 1000)
  zoom.follow(0.39, 1000)
  expect(zoom.share.get()).toMatchObject({ from: 0.2 })
  zoom.follow(0.5, 1000)
  expect(zoom.share.get().from).toBeCloseTo(0.5)
  zoom.follow(0.1, 1000)
  expect(zoom.share.get().from).toBeCloseTo(0.1)
})

test('listeners hear of changes and of nothing else', () => {
  const zoom = new ZoomWindow()
  let heard = 0
  const stop = zoom.share.subscribe(() => heard++)
  zoom.set(0.1, 0.5, 1000)
  zoom.set(0.1, 0.5, 1000)
  zoom.reset()
  zoom.reset()
  stop()
  zoom.set(0.1, 0.5, 1000)
  expect(heard).toBe(2)
})

test('the next episode of a dataset keeps its window', () => {
  expect(getZoom('ds_1')).toBe(getZoom('ds_1'))
  expect(getZoom('ds_1')).not.toBe(getZoom('ds_2'))
})
