import { armBase, clamp, type Point, placeArm, shoulderHeight } from './arm.ts'
import { Canvas, light } from './canvas.ts'
import { type Block, binCenter, binHalf, binHeight, blockSize, type Scene } from './script.ts'
import { addScaled, dot, View } from './view.ts'

export const pictureWidth = 320
export const pictureHeight = 240
const size = { width: pictureWidth, height: pictureHeight }

const views = {
  front: new View({ eye: [0.12, -0.68, 0.42], target: [0.012, 0.0, 0.105], fieldOfView: 0.88, ...size }),
  top: new View({ eye: [0.005, -0.14, 0.86], target: [0.005, 0.0, 0], fieldOfView: 0.82, ...size }),
} as const

export type CameraName = keyof typeof views
export const cameraNames = Object.keys(views) as CameraName[]

const shell: Point = [0.93, 0.92, 0.9]
const joint: Point = [0.27, 0.29, 0.33]
const accent: Point = [0.98, 0.56, 0.2]
const finger: Point = [0.36, 0.38, 0.42]
const binPaint: Point = [0.55, 0.62, 0.7]
const tableEdge = { left: -0.42, right: 0.42, front: -0.34, back: 0.36 }

/** Draws scenes as one camera sees them. What never moves is drawn once. */
export const createPainter = (name: CameraName): ((scene: Scene) => Uint8Array) => {
  const backdrop = new Canvas(views[name])
  const isTable = drawRoom(backdrop)
  castBin(backdrop)
  backdrop.castShadow({
    from: [armBase[0], armBase[1], 0.02],
    to: [armBase[0], armBase[1], shoulderHeight],
    fromRadius: 0.06,
    toRadius: 0.045,
  })
  backdrop.layShadows(isTable, 0.42)
  drawBin(backdrop)
  const table = keepVisibleTable(backdrop, isTable)
  const still = backdrop.toPixels()
  const canvas = new Canvas(views[name])
  return (scene) => {
    canvas.restore(backdrop)
    castShadows(canvas, scene)
    canvas.layShadows(table)
    for (const block of scene.blocks) drawBlock(canvas, block)
    drawArm(canvas, scene)
    return canvas.toPixels(still)
  }
}

/** The wall, the table with its mat, and which pixels are table. */
const drawRoom = (canvas: Canvas): Uint8Array => {
  const { view, color, depth } = canvas
  const isTable = new Uint8Array(view.width * view.height)
  const samples = [1 / 6, 3 / 6, 5 / 6]
  for (let y = 0; y < view.height; y += 1)
    for (let x = 0; x < view.width; x += 1) {
      const index = y * view.width + x
      const sum = [0, 0, 0]
      for (const sy of samples)
        for (const sx of samples) {
          const ray = view.lookThrough(x + sx, y + sy)
          const base = hitBase(view.eye, ray)
          const hit = ray[2] < 0 ? addScaled(view.eye, ray, -view.eye[2] / ray[2]) : undefined
          const isOn = !base && hit !== undefined && isOnTable(hit)
          const paint = base?.color ?? (isOn ? paintTable(hit) : paintWall(y / view.height, x / view.width))
          if (sx === 0.5 && sy === 0.5) {
            isTable[index] = isOn ? 1 : 0
            if (base) depth[index] = base.depth
            else if (isOn) depth[index] = -view.eye[2] / ray[2]
          }
          for (let channel = 0; channel < 3; channel += 1)
            sum[channel] = (sum[channel] ?? 0) + (paint[channel] ?? 0) / 9
        }
      color.set(sum, index * 3)
    }
  return isTable
}

/** The foot of the arm: round plates on each other, from the table up. */
const plates = [
  { radius: 0.072, from: 0, to: 0.016, paint: joint },
  { radius: 0.05, from: 0.016, to: 0.046, paint: shell },
  { radius: 0.0515, from: 0.046, to: 0.053, paint: accent },
  { radius: 0.05, from: 0.053, to: 0.074, paint: shell },
  { radius: 0.043, from: 0.074, to: 0.095, paint: joint },
] as const

/** Where a ray meets the foot, and how it looks there. It never moves, so it is traced once and need not be quick. */
const hitBase = (eye: Point, ray: Point): { depth: number; color: Point } | undefined => {
  let found: { depth: number; color: Point } | undefined
  const x = eye[0] - armBase[0]
  const y = eye[1] - armBase[1]
  const a = ray[0] ** 2 + ray[1] ** 2
  const b = x * ray[0] + y * ray[1]
  const meet = (depth: number, normal: Point, paint: Point): void => {
    if (found && found.depth < depth) return
    const lit = 0.68 * Math.max(0, dot(normal, light)) + 0.42 * (0.5 + 0.5 * normal[2]) + 0.06
    found = { depth, color: [paint[0] ** 2 * lit, paint[1] ** 2 * lit, paint[2] ** 2 * lit] }
  }
  for (const { radius, from, to, paint } of plates) {
    const root = b * b - a * (x * x + y * y - radius * radius)
    if (root < 0) continue
    const side = (-b - Math.sqrt(root)) / a
    const height = eye[2] + ray[2] * side
    if (height >= from && height <= to)
      meet(side, [(x + ray[0] * side) / radius, (y + ray[1] * side) / radius, 0], paint)
    const top = (to - eye[2]) / ray[2]
    if (top > 0 && Math.hypot(x + ray[0] * top, y + ray[1] * top) <= radius) meet(top, [0, 0, 1], paint)
  }
  return found
}

const isOnTable = ([x, y]: Point): boolean =>
  x > tableEdge.left && x < tableEdge.right && y > tableEdge.front && y < tableEdge.back

const mat = { left: -0.285, right: 0.3, front: -0.235, back: 0.075 }

/** Light wood, and on it a dark mat with a grid of five centimetres. Linear light. */
const paintTable = ([x, y]: Point): Point => {
  const fall = 1 - 0.55 * clamp(Math.hypot(x + 0.05, (y + 0.05) * 1.2) - 0.12, 0, 0.6)
  const isMat = x > mat.left && x < mat.right && y > mat.front && y < mat.back
  if (isMat) {
    const border = Math.min(x - mat.left, mat.right - x, y - mat.front, mat.back - y)
    const line = Math.min(gridDistance(x), gridDistance(y))
    const glow = border < 0.004 ? 0.07 : line < 0.0007 ? 0.055 : 0
    return [(0.065 + glow) * fall * 1.15, (0.1 + glow) * fall * 1.15, (0.115 + glow) * fall * 1.15]
  }
  const grain = Math.sin(y * 160 + Math.sin(x * 9) * 2.2 + Math.sin(x * 31 + y * 13) * 0.7)
  const plank = Math.abs(((y + 1) % 0.11) - 0.055) > 0.0535 ? 0.82 : 1
  const tone = (0.97 + 0.03 * grain) * fall * plank
  return [0.62 * tone, 0.46 * tone, 0.31 * tone]
}

const gridDistance = (value: number): number => Math.abs(value - Math.round(value / 0.05) * 0.05)

const paintWall = (down: number, right: number): Point => {
  const tone = 0.5 - 0.28 * down + 0.05 * (1 - right)
  return [0.72 * tone, 0.8 * tone, 0.92 * tone]
}

/** What stands on the table hides it: shadows must not fall on pixels of the bin or the base. */
const keepVisibleTable = ({ view, depth }: Canvas, isTable: Uint8Array): Uint8Array => {
  const visible = new Uint8Array(isTable)
  for (let y = 0; y < view.height; y += 1)
    for (let x = 0; x < view.width; x += 1) {
      const index = y * view.width + x
      const ray = view.lookThrough(x + 0.5, y + 0.5)
      if (Math.abs((depth[index] ?? 0) + view.eye[2] / ray[2]) > 0.002) visible[index] = 0
    }
  return visible
}

const castBin = (canvas: Canvas): void => {
  const [x, y] = binCenter
  for (const [dx, dy, ex, ey] of [
    [-1, -1, 1, -1],
    [1, -1, 1, 1],
    [1, 1, -1, 1],
    [-1, 1, -1, -1],
  ] as const)
    for (const height of [0.012, binHeight * 0.6, binHeight])
      canvas.castShadow({
        from: [x + dx * binHalf, y + dy * binHalf, height],
        to: [x + ex * binHalf, y + ey * binHalf, height],
        fromRadius: 0.006,
        toRadius: 0.006,
      })
  canvas.castShadow({ from: [x, y - 0.03, 0.01], to: [x, y + 0.03, 0.01], fromRadius: 0.045, toRadius: 0.045 })
}

/** Four thin walls and a floor, seen from both sides. */
const drawBin = (canvas: Canvas): void => {
  const [x, y] = binCenter
  drawBox(canvas, [x, y, 0.002], [binHalf, binHalf, 0.002], 0, [0.4, 0.46, 0.53])
  const wall = 0.004
  drawBox(canvas, [x, y + binHalf, binHeight / 2], [binHalf + wall, wall, binHeight / 2], 0, binPaint)
  drawBox(canvas, [x, y - binHalf, binHeight / 2], [binHalf + wall, wall, binHeight / 2], 0, binPaint)
  drawBox(canvas, [x + binHalf, y, binHeight / 2], [wall, binHalf, binHeight / 2], 0, binPaint)
  drawBox(canvas, [x - binHalf, y, binHeight / 2], [wall, binHalf, binHeight / 2], 0, binPaint)
}

const drawBlock = (canvas: Canvas, { position, yaw, color }: Block): void =>
  drawBox(canvas, position, [blockSize / 2, blockSize / 2, blockSize / 2], yaw, color)

const drawBox = (canvas: Canvas, [x, y, z]: Point, [hx, hy, hz]: Point, yaw: number, paint: Point): void => {
  const cos = Math.cos(yaw)
  const sin = Math.sin(yaw)
  const corner = (dx: number, dy: number, dz: number): Point => [
    x + dx * hx * cos - dy * hy * sin,
    y + dx * hx * sin + dy * hy * cos,
    z + dz * hz,
  ]
  const top = [corner(-1, 1, 1), corner(1, 1, 1), corner(1, -1, 1), corner(-1, -1, 1)]
  canvas.drawFace(top, paint)
  for (const [dx, dy, ex, ey] of [
    [-1, -1, 1, -1],
    [1, -1, 1, 1],
    [1, 1, -1, 1],
    [-1, 1, -1, -1],
  ] as const)
    canvas.drawFace([corner(dx, dy, 1), corner(ex, ey, 1), corner(ex, ey, -1), corner(dx, dy, -1)], paint)
}

const castShadows = (canvas: Canvas, { state, blocks }: Scene): void => {
  for (const { position, yaw } of blocks) {
    const half = blockSize * 0.32
    const along: Point = [Math.cos(yaw) * half, Math.sin(yaw) * half, 0]
    canvas.castShadow({
      from: addScaled(position, along, -1),
      to: addScaled(position, along, 1),
      fromRadius: blockSize * 0.46,
      toRadius: blockSize * 0.46,
    })
  }
  const { shoulder, elbow, wrist, palm, tip } = placeArm(state)
  canvas.castShadow({ from: shoulder, to: elbow, fromRadius: 0.03, toRadius: 0.026 })
  canvas.castShadow({ from: elbow, to: wrist, fromRadius: 0.024, toRadius: 0.02 })
  canvas.castShadow({ from: wrist, to: palm, fromRadius: 0.02, toRadius: 0.02 })
  canvas.castShadow({ from: palm, to: tip, fromRadius: 0.02, toRadius: 0.014 })
}

const drawArm = (canvas: Canvas, { state }: Scene): void => {
  const { shoulder, elbow, wrist, palm, tip, across } = placeArm(state)
  const side: Point = [Math.cos(state.pan), Math.sin(state.pan), 0]
  const drawHub = (at: Point, halfWidth: number, radius: number): void => {
    canvas.drawBar(
      {
        from: addScaled(at, side, -halfWidth),
        to: addScaled(at, side, halfWidth),
        fromRadius: radius,
        toRadius: radius,
      },
      joint,
      0.35,
    )
    for (const way of [-1, 1]) {
      const cap = addScaled(at, side, way * (halfWidth + radius * 0.58))
      canvas.drawBar({ from: cap, to: cap, fromRadius: radius * 0.5, toRadius: radius * 0.5 }, accent)
    }
  }
  canvas.drawBar({ from: [armBase[0], armBase[1], 0.085], to: shoulder, fromRadius: 0.036, toRadius: 0.034 }, joint)
  drawHub(shoulder, 0.026, 0.033)
  canvas.drawBar(
    { from: between(shoulder, elbow, 0.12), to: between(shoulder, elbow, 0.88), fromRadius: 0.027, toRadius: 0.023 },
    shell,
    0.4,
  )
  drawHub(elbow, 0.022, 0.027)
  canvas.drawBar(
    { from: between(elbow, wrist, 0.12), to: between(elbow, wrist, 0.86), fromRadius: 0.022, toRadius: 0.018 },
    shell,
    0.4,
  )
  drawHub(wrist, 0.016, 0.02)
  canvas.drawBar({ from: between(wrist, palm, 0.2), to: palm, fromRadius: 0.016, toRadius: 0.018 }, shell, 0.4)
  const open = state.grip / 2
  const base = between(wrist, palm, 0.95)
  canvas.drawBar(
    { from: addScaled(base, across, -0.036), to: addScaled(base, across, 0.036), fromRadius: 0.0115, toRadius: 0.0115 },
    joint,
  )
  for (const way of [-1, 1]) {
    const root = addScaled(palm, across, way * (open + 0.006))
    const end = addScaled(tip, across, way * (open + 0.0045))
    const low: Point = [end[0], end[1], end[2] - 0.008]
    canvas.drawBar({ from: root, to: between(root, low, 0.7), fromRadius: 0.009, toRadius: 0.0075 }, finger, 0.35)
    canvas.drawBar({ from: between(root, low, 0.7), to: low, fromRadius: 0.0075, toRadius: 0.006 }, accent, 0.35)
  }
}

const between = (one: Point, other: Point, t: number): Point => [
  one[0] + (other[0] - one[0]) * t,
  one[1] + (other[1] - one[1]) * t,
  one[2] + (other[2] - one[2]) * t,
]
