import { type DrawFrame, drawnHeight, drawnWidth } from './drawn-cameras.ts'
import type { Defect, Random } from './planted-defects.ts'
import type { SignalSet } from './signal-set.ts'

/** What is wrong with the pictures of one camera of an episode; `from` and `to` are its frames. */
interface Spoilt {
  readonly position: number
  readonly camera: number
  readonly from: number
  readonly to: number
  readonly size: number
}

type Spoil = (draw: DrawFrame, spoilt: Spoilt, camera: number, frame: number) => Uint8Array

const whole = (random: Random, low: number, high: number): number => Math.floor(low + (high - low + 1) * random())

const spoils: Readonly<Record<string, Spoil>> = {
  'frozen-camera': (draw, { position, from }, camera, _) => draw(position, camera, from - 1),
  'repeated-frames': (draw, { position, from }, camera, _) => draw(position, camera, from - 1),
  'black-frames': () => new Uint8Array(drawnWidth * drawnHeight * 3).fill(2),
  'over-exposed': (draw, { position, size }, camera, frame) =>
    draw(position, camera, frame).map((value) => Math.min(255, value * (2.7 + 0.8 * size))),
  blurred: (draw, { position }, camera, frame) => blur(draw(position, camera, frame)),
  'moved-camera': (draw, { position, size }, camera, frame) =>
    move(draw(position, camera, frame), 4 + Math.round(3 * size), size < 0.5 ? 2 : -2),
  'swapped-cameras': (draw, { position }, camera, frame) => draw(position, 1 - camera, frame),
  'late-pictures': (draw, { position, size }, camera, frame) =>
    draw(position, camera, Math.max(0, frame - 3 - Math.round(3 * size))),
}

export const plantedPictures = Object.keys(spoils)

/** Spoils the pictures of a camera in some episodes, a quarter of them at most. */
export function plantPictures(
  set: SignalSet,
  draw: DrawFrame,
  rule: string,
  random: Random,
): { draw: DrawFrame; defects: Defect[] } {
  const spoil = spoils[rule]
  if (!spoil) throw new Error(`nothing is known to plant for ${rule}`)
  const isWhole = ['moved-camera', 'swapped-cameras', 'late-pictures'].includes(rule)
  const count = Math.floor(set.episodes.length / 4)
  const first = whole(random, 0, 3)
  const planted = new Map<number, Spoilt>()
  const defects: Defect[] = []
  for (let at = 0; at < count; at++) {
    const position = first + at * 4
    const frames = set.episodes[position]?.frames ?? 0
    const seconds = rule === 'repeated-frames' ? 0 : 0.8 + 0.8 * random()
    const span = isWhole ? frames : Math.max(rule === 'repeated-frames' ? 1 : 3, Math.round(seconds * set.fps))
    const from = isWhole ? 0 : findMotion(set, position, span, random)
    if (from < 0) continue
    planted.set(position, { position, camera: whole(random, 0, 1), from, to: from + span, size: random() })
    defects.push({ position, ...(!isWhole && { frames: [from, from + span] as const }) })
  }
  const isSwap = rule === 'swapped-cameras'
  return {
    defects,
    draw: (position, camera, frame) => {
      const spoilt = planted.get(position)
      if (!spoilt || frame < spoilt.from || frame >= spoilt.to || (camera !== spoilt.camera && !isSwap))
        return draw(position, camera, frame)
      return spoil(draw, spoilt, camera, frame)
    },
  }
}

/** Where the arm moves most of the time, and the whole of it for one frame. */
function findMotion(set: SignalSet, position: number, span: number, random: Random): number {
  const episode = set.episodes[position]
  if (!episode) return -1
  const width = set.names.length
  const paths = Array.from({ length: episode.frames - 1 }, (_, frame) => {
    let path = 0
    for (let joint = 0; joint < Math.min(3, width); joint++) {
      const at = frame * width + joint
      path += Math.abs((episode.state[at + width] as number) - (episode.state[at] as number))
    }
    return path
  })
  const fast = paths.toSorted((a, b) => a - b)[Math.floor(paths.length * (span === 1 ? 0.8 : 0.35))] as number
  const spots = paths.flatMap((_, from) => {
    const own = paths.slice(from - 1, from - 1 + span)
    const isFast = own.length === span && own.filter((path) => path >= fast).length >= 0.85 * span
    return from > 3 && from + span < episode.frames - 3 && isFast ? [from] : []
  })
  return spots[whole(random, 0, spots.length - 1)] ?? -1
}

function move(pixels: Uint8Array, right: number, down: number): Uint8Array {
  const moved = new Uint8Array(pixels.length)
  for (let y = 0; y < drawnHeight; y++)
    for (let x = 0; x < drawnWidth; x++) {
      const fromX = Math.min(drawnWidth - 1, Math.max(0, x - right))
      const fromY = Math.min(drawnHeight - 1, Math.max(0, y - down))
      for (let channel = 0; channel < 3; channel++)
        moved[(y * drawnWidth + x) * 3 + channel] = pixels[(fromY * drawnWidth + fromX) * 3 + channel] as number
    }
  return moved
}

/** The mean of five by five, twice. */
function blur(pixels: Uint8Array, times = 2): Uint8Array {
  const blurred = new Uint8Array(pixels.length)
  for (let y = 0; y < drawnHeight; y++)
    for (let x = 0; x < drawnWidth; x++) {
      let [sum, count] = [0, 0]
      for (let v = Math.max(0, y - 2); v <= Math.min(drawnHeight - 1, y + 2); v++)
        for (let u = Math.max(0, x - 2); u <= Math.min(drawnWidth - 1, x + 2); u++, count++)
          sum += pixels[(v * drawnWidth + u) * 3] as number
      blurred.fill(Math.round(sum / count), (y * drawnWidth + x) * 3, (y * drawnWidth + x) * 3 + 3)
    }
  return times > 1 ? blur(blurred, times - 1) : blurred
}
