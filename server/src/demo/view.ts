import type { Point } from './arm.ts'

export interface ViewSettings {
  eye: Point
  target: Point
  /** Of the whole width, in radians. */
  fieldOfView: number
  width: number
  height: number
}

/** Where a point of the world stands in the picture. */
export interface Projected {
  x: number
  y: number
  /** Metres along the axis of view. */
  depth: number
  /** Pixels per metre there. */
  scale: number
}

/** A camera: turns points and directions of the world into those of its picture (x right, y down, z towards the scene). */
export class View {
  readonly width: number
  readonly height: number
  readonly eye: Point
  readonly #right: Point
  readonly #down: Point
  readonly #forward: Point
  readonly #focal: number

  constructor({ eye, target, fieldOfView, width, height }: ViewSettings) {
    this.width = width
    this.height = height
    this.eye = eye
    this.#forward = normalize(subtract(target, eye))
    this.#right = normalize(cross(this.#forward, [0, 0, 1]))
    this.#down = cross(this.#forward, this.#right)
    this.#focal = width / 2 / Math.tan(fieldOfView / 2)
  }

  project(point: Point): Projected {
    const [x, y, z] = this.turn(subtract(point, this.eye))
    const scale = this.#focal / z
    return { x: this.width / 2 + x * scale, y: this.height / 2 + y * scale, depth: z, scale }
  }

  turn(direction: Point): Point {
    return [dot(direction, this.#right), dot(direction, this.#down), dot(direction, this.#forward)]
  }

  /** The direction in which a place of the picture looks. */
  lookThrough(x: number, y: number): Point {
    const across = (x - this.width / 2) / this.#focal
    const below = (y - this.height / 2) / this.#focal
    return [0, 1, 2].map(
      (axis) => (this.#forward[axis] ?? 0) + (this.#right[axis] ?? 0) * across + (this.#down[axis] ?? 0) * below,
    ) as unknown as Point
  }
}

export const subtract = (one: Point, other: Point): Point => [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
export const addScaled = (point: Point, direction: Point, length: number): Point => [
  point[0] + direction[0] * length,
  point[1] + direction[1] * length,
  point[2] + direction[2] * length,
]
export const dot = (one: Point, other: Point): number => one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
export const cross = (one: Point, other: Point): Point => [
  one[1] * other[2] - one[2] * other[1],
  one[2] * other[0] - one[0] * other[2],
  one[0] * other[1] - one[1] * other[0],
]
export const normalize = (vector: Point): Point => {
  const length = Math.hypot(...vector) || 1
  return [vector[0] / length, vector[1] / length, vector[2] / length]
}
