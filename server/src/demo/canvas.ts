import { clamp, type Point } from './arm.ts'
import { addScaled, cross, dot, normalize, subtract, type View } from './view.ts'

/** Towards the lamp. */
export const light: Point = normalize([-0.5, -0.42, 0.95])
const skyLight = 0.42
const lampLight = 0.68

/** With round ends; equal ends make a ball. */
interface Bar {
  from: Point
  to: Point
  fromRadius: number
  toRadius: number
}

/**
 * A picture with depth. Rounded bars and flat faces are drawn by their distance fields, so every edge is smooth without drawing the
 * picture larger first: a frame takes about a millisecond.
 */
export class Canvas {
  readonly view: View
  readonly color: Float32Array
  readonly depth: Float32Array
  readonly #shade: Float32Array
  /** Per row, from where to where something was drawn since the last `restore`. */
  readonly #spanStart: Int32Array
  readonly #spanEnd: Int32Array
  readonly #lamp: Point
  readonly #half: Point
  readonly #sky: Point

  constructor(view: View) {
    this.view = view
    this.color = new Float32Array(view.width * view.height * 3)
    this.depth = new Float32Array(view.width * view.height).fill(Number.POSITIVE_INFINITY)
    this.#shade = new Float32Array(view.width * view.height)
    this.#spanStart = new Int32Array(view.height)
    this.#spanEnd = new Int32Array(view.height).fill(view.width)
    this.#lamp = view.turn(light)
    this.#sky = view.turn([0, 0, 1])
    this.#half = normalize(addScaled(this.#lamp, [0, 0, -1], 1))
  }

  /** Makes this picture like another one again: what was drawn on since then. */
  restore(backdrop: Canvas): void {
    this.#forEachSpan((from, to) => {
      this.color.set(backdrop.color.subarray(from * 3, to * 3), from * 3)
      this.depth.set(backdrop.depth.subarray(from, to), from)
    })
    this.#spanStart.fill(this.view.width)
    this.#spanEnd.fill(0)
  }

  drawBar({ from, to, fromRadius, toRadius }: Bar, paint: Point, gloss = 0.25): void {
    const a = this.view.project(from)
    const b = this.view.project(to)
    const ra = fromRadius * a.scale
    const rb = toRadius * b.scale
    const dx = b.x - a.x
    const dy = b.y - a.y
    const lengthSquared = dx * dx + dy * dy || 1e-9
    const thickest = Math.max(ra, rb) + 1
    const [hx, hy, hz] = this.#half
    const { depth } = this
    const draw = (x: number, y: number, index: number): void => {
      const fx = x - a.x
      const fy = y - a.y
      let along = (fx * dx + fy * dy) / lengthSquared
      if (along < 0) along = 0
      else if (along > 1) along = 1
      let ox = fx - dx * along
      let oy = fy - dy * along
      const offSquared = ox * ox + oy * oy
      if (offSquared > thickest * thickest) return
      const radius = ra + (rb - ra) * along
      const off = Math.sqrt(offSquared)
      const coverage = radius - off + 0.5
      if (coverage <= 0) return
      const within = off < radius
      const facing = within ? Math.sqrt(1 - offSquared / (radius * radius)) : 0
      const near = a.depth + (b.depth - a.depth) * along - facing * (fromRadius + (toRadius - fromRadius) * along)
      if (near > (depth[index] ?? 0)) return
      const norm = within ? radius : off
      ox /= norm
      oy /= norm
      const shine = ox * hx + oy * hy - facing * hz
      const brightness = this.#lit(ox, oy, -facing)
      this.#put(index, coverage < 1 ? coverage : 1, paint, brightness, shine > 0 ? gloss * shine ** 24 : 0)
      if (coverage > 0.5) depth[index] = near
    }
    this.#forEachPixel(
      [
        Math.min(a.x - ra, b.x - rb),
        Math.min(a.y - ra, b.y - rb),
        Math.max(a.x + ra, b.x + rb),
        Math.max(a.y + ra, b.y + rb),
      ],
      draw,
    )
  }

  /** A flat convex face; its corners run clockwise as seen from outside. Faces that look away are left out. */
  drawFace(corners: readonly Point[], paint: Point, edge = 0.07): void {
    const [first, second, third] = corners
    if (!first || !second || !third) return
    const normal = normalize(cross(subtract(third, first), subtract(second, first)))
    if (dot(normal, subtract(first, this.view.eye)) >= 0) return
    const shown = corners.map((corner) => this.view.project(corner))
    const brightness = this.#lit(...this.view.turn(normal))
    const sides = shown.map((from, index) => {
      const to = shown[(index + 1) % shown.length] ?? from
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1e-9
      return { x: from.x, y: from.y, nx: (from.y - to.y) / length, ny: (to.x - from.x) / length }
    })
    const orientation = Math.sign(signedArea(shown)) || 1
    // Along a plane the inverse of the depth is linear in the picture.
    const distance = dot(normal, subtract(first, this.view.eye))
    const inverseAt = (x: number, y: number): number => dot(normal, this.view.lookThrough(x, y)) / distance
    const inverse = inverseAt(0, 0)
    const inverseX = inverseAt(1, 0) - inverse
    const inverseY = inverseAt(0, 1) - inverse
    this.#forEachPixel(boundsOf(shown), (x, y, index) => {
      let inside = Number.POSITIVE_INFINITY
      for (const side of sides) {
        const within = ((x - side.x) * side.nx + (y - side.y) * side.ny) * orientation
        if (within < inside) inside = within
      }
      const coverage = clamp(inside + 0.5, 0, 1)
      if (coverage === 0) return
      const depth = 1 / (inverse + inverseX * x + inverseY * y)
      if (depth > (this.depth[index] ?? 0)) return
      const glow = inside < 1.6 ? edge * (1 - Math.max(0, inside) / 1.6) : 0
      this.#put(index, coverage, paint, brightness + glow, 0)
      if (coverage > 0.5) this.depth[index] = depth
    })
  }

  /** Darkens what lies flat on the table below a bar. Soft, and softer the higher the bar is. */
  castShadow({ from, to, fromRadius, toRadius }: Bar): void {
    const a = this.view.project(dropShadow(from))
    const b = this.view.project(dropShadow(to))
    const soft = (radius: number, height: number): number => radius * 0.5 + height * 0.16 + 0.004
    const ra = fromRadius * a.scale
    const rb = toRadius * b.scale
    const sa = soft(fromRadius, from[2]) * a.scale
    const sb = soft(toRadius, to[2]) * b.scale
    const dx = b.x - a.x
    const dy = b.y - a.y
    const lengthSquared = dx * dx + dy * dy || 1e-9
    const bounds: Bounds = [
      Math.min(a.x - ra - sa, b.x - rb - sb),
      Math.min(a.y - ra - sa, b.y - rb - sb),
      Math.max(a.x + ra + sa, b.x + rb + sb),
      Math.max(a.y + ra + sa, b.y + rb + sb),
    ]
    const farthest = Math.max(ra + sa, rb + sb)
    this.#forEachPixel(bounds, (x, y, index) => {
      const fx = x - a.x
      const fy = y - a.y
      let along = (fx * dx + fy * dy) / lengthSquared
      if (along < 0) along = 0
      else if (along > 1) along = 1
      const ox = fx - dx * along
      const oy = fy - dy * along
      const offSquared = ox * ox + oy * oy
      if (offSquared >= farthest * farthest) return
      const off = Math.sqrt(offSquared)
      const radius = ra + (rb - ra) * along
      const softness = sa + (sb - sa) * along
      const t = clamp((radius + softness - off) / (2 * softness), 0, 1)
      const darkness = t * t * (3 - 2 * t)
      const before = this.#shade[index] ?? 0
      this.#shade[index] = before + darkness * (1 - before)
    })
  }

  /** Lays the shadows that were cast on everything flat at the height of the table, and forgets them. */
  layShadows(isTable: Uint8Array, strength = 0.5): void {
    const { color } = this
    const shade = this.#shade
    this.#forEachSpan((from, to) => {
      for (let index = from; index < to; index += 1) {
        const darkness = shade[index] ?? 0
        if (darkness === 0) continue
        shade[index] = 0
        if (!isTable[index]) continue
        const kept = 1 - strength * darkness
        color[index * 3] = (color[index * 3] ?? 0) * kept
        color[index * 3 + 1] = (color[index * 3 + 1] ?? 0) * kept
        color[index * 3 + 2] = (color[index * 3 + 2] ?? 0) * (kept * 0.97 + 0.03)
      }
    })
  }

  /** Eight bits a channel, as a camera gives them; what was not drawn on is taken from `known`. */
  toPixels(known?: Uint8Array): Uint8Array {
    const { color } = this
    const pixels = known ? known.slice() : new Uint8Array(color.length)
    this.#forEachSpan((from, to) => {
      for (let at = from * 3; at < to * 3; at += 1) pixels[at] = toByte[((color[at] ?? 0) * 4095) | 0] ?? 255
    })
    return pixels
  }

  #lit(x: number, y: number, z: number): number {
    const lamp = x * this.#lamp[0] + y * this.#lamp[1] + z * this.#lamp[2]
    const sky = 0.5 + 0.5 * (x * this.#sky[0] + y * this.#sky[1] + z * this.#sky[2])
    return (lamp > 0 ? lampLight * lamp : 0) + skyLight * sky + 0.06
  }

  #put(index: number, coverage: number, paint: Point, brightness: number, shine: number): void {
    const { color } = this
    const kept = 1 - coverage
    const at = index * 3
    // Paint is given as the eye sees it; light adds up in linear terms.
    color[at] = (color[at] ?? 0) * kept + (paint[0] * paint[0] * brightness + shine) * coverage
    color[at + 1] = (color[at + 1] ?? 0) * kept + (paint[1] * paint[1] * brightness + shine) * coverage
    color[at + 2] = (color[at + 2] ?? 0) * kept + (paint[2] * paint[2] * brightness + shine) * coverage
  }

  #forEachPixel([left, top, right, bottom]: Bounds, draw: (x: number, y: number, index: number) => void): void {
    const { width, height } = this.view
    const firstX = Math.max(0, Math.floor(left - 1))
    const lastX = Math.min(width - 1, Math.ceil(right + 1))
    const lastY = Math.min(height - 1, Math.ceil(bottom + 1))
    for (let y = Math.max(0, Math.floor(top - 1)); y <= lastY; y += 1) {
      if (firstX < (this.#spanStart[y] ?? 0)) this.#spanStart[y] = firstX
      if (lastX >= (this.#spanEnd[y] ?? 0)) this.#spanEnd[y] = lastX + 1
      for (let x = firstX; x <= lastX; x += 1) draw(x + 0.5, y + 0.5, y * width + x)
    }
  }

  #forEachSpan(visit: (from: number, to: number) => void): void {
    const { width, height } = this.view
    for (let y = 0; y < height; y += 1) {
      const from = this.#spanStart[y] ?? 0
      const to = this.#spanEnd[y] ?? 0
      if (from < to) visit(y * width + from, y * width + to)
    }
  }
}

/** Linear light to what a picture stores. */
const toByte = Uint8Array.from({ length: 4096 }, (_, step) => Math.sqrt(step / 4095) * 255 + 0.5)

type Bounds = readonly [left: number, top: number, right: number, bottom: number]

const dropShadow = (point: Point): Point => addScaled(point, light, -point[2] / light[2])

const boundsOf = (points: readonly { x: number; y: number }[]): Bounds => [
  Math.min(...points.map(({ x }) => x)),
  Math.min(...points.map(({ y }) => y)),
  Math.max(...points.map(({ x }) => x)),
  Math.max(...points.map(({ y }) => y)),
]

const signedArea = (points: readonly { x: number; y: number }[]): number =>
  points.reduce((sum, { x, y }, index) => {
    const next = points[(index + 1) % points.length] ?? { x, y }
    return sum + x * next.y - next.x * y
  }, 0)
