import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dragBox, type Handle, type PixelBox, placeFrame, toCrop, toPixels } from './crop-box.ts'

const size = fc.record({ width: fc.integer({ min: 32, max: 2000 }), height: fc.integer({ min: 32, max: 2000 }) })
/** A frame and an even box of at least 16 pixels inside it, as the editor's handles give. */
const boxed = size.chain(({ width, height }) => {
  const side = (length: number) =>
    fc
      .tuple(fc.integer({ min: 0, max: (length - 16) >> 1 }), fc.nat())
      .map(([start, more]) => ({ start: 2 * start, size: 16 + 2 * (more % (((length - 16 - 2 * start) >> 1) + 1)) }))
  return fc.tuple(side(width), side(height)).map(([x, y]) => ({
    width,
    height,
    box: { left: x.start, top: y.start, width: x.size, height: y.size } satisfies PixelBox,
  }))
})
const handles: Handle[] = ['left', 'right', 'top', 'bottom', 'nw', 'ne', 'se', 'sw', 'move']

test('a box that was drawn is the box that is cut: percent lose no pixel', () => {
  fc.assert(
    fc.property(boxed, ({ width, height, box }) => {
      expect(toPixels(toCrop(box, width, height), width, height)).toEqual(box)
    }),
  )
})

test('no drag leaves the frame, and edges stay on even pixels', () => {
  const drag = fc.integer({ min: -3000, max: 3000 })
  fc.assert(
    fc.property(boxed, fc.constantFrom(...handles), drag, drag, ({ width, height, box }, handle, dx, dy) => {
      const next = dragBox(box, handle, { dx, dy }, { width, height })
      expect(next.left % 2 === 0 && next.top % 2 === 0).toBe(true)
      expect(next.left).toBeGreaterThanOrEqual(0)
      expect(next.top).toBeGreaterThanOrEqual(0)
      expect(next.left + next.width).toBeLessThanOrEqual(width)
      expect(next.top + next.height).toBeLessThanOrEqual(height)
      expect(Math.min(next.width, next.height)).toBeGreaterThanOrEqual(14)
      expect(toPixels(toCrop(next, width, height), width, height)).toEqual(next)
    }),
  )
})

test('a handle moves its own edges and no others', () => {
  const frame = { width: 640, height: 480 }
  const box = { left: 100, top: 80, width: 200, height: 160 }
  expect(dragBox(box, 'left', { dx: 11, dy: 99 }, frame)).toEqual({ left: 112, top: 80, width: 188, height: 160 })
  expect(dragBox(box, 'se', { dx: -20, dy: 40 }, frame)).toEqual({ left: 100, top: 80, width: 180, height: 200 })
  expect(dragBox(box, 'move', { dx: -500, dy: 500 }, frame)).toEqual({ left: 0, top: 320, width: 200, height: 160 })
  expect(dragBox(box, 'right', { dx: -500, dy: 0 }, frame)).toMatchObject({ left: 100, width: 16 })
})

test('fit shows all of the cut inside the result, fill covers all of the result', () => {
  const target = fc.integer({ min: 16, max: 512 }).map((half) => half * 2)
  fc.assert(
    fc.property(boxed, target, target, ({ box }, width, height) => {
      const fit = placeFrame(box, { width, height, mode: 'fit' })
      expect(fit.cut).toEqual(box)
      expect(fit.drawn.left + fit.drawn.width).toBeLessThanOrEqual(width)
      expect(fit.drawn.top + fit.drawn.height).toBeLessThanOrEqual(height)
      expect(fit.drawn.width === width || fit.drawn.height === height).toBe(true)
      const fill = placeFrame(box, { width, height, mode: 'fill' })
      expect(fill.drawn).toEqual({ left: 0, top: 0, width, height })
      expect(fill.cut.left).toBeGreaterThanOrEqual(box.left)
      expect(fill.cut.left + fill.cut.width).toBeLessThanOrEqual(box.left + box.width + 1e-6)
      expect(fill.cut.top + fill.cut.height).toBeLessThanOrEqual(box.top + box.height + 1e-6)
    }),
  )
})
