import { clamp, type Point, type Pose, placeArm, reach, widestGrip } from './arm.ts'
import { createRandom, type Random } from './random.ts'

export const fps = 20

export interface Block {
  name: 'red' | 'green' | 'blue' | 'yellow'
  color: Point
  position: Point
  /** Turned about the vertical. */
  yaw: number
}

/** One frame of the world. */
export interface Scene {
  state: Pose
  action: Pose
  blocks: readonly Block[]
}

export interface DemoEpisode {
  task: string
  /** What is odd about it, for tests: people are to find it by looking. */
  oddity: 'none' | 'idle' | 'jerky' | 'short'
  scenes: readonly Scene[]
}

export const blockSize = 0.036
export const binCenter: Point = [0.215, -0.045, 0]
export const binHalf = 0.06
export const binHeight = 0.05

const colors = {
  red: [0.84, 0.2, 0.17],
  green: [0.2, 0.62, 0.32],
  blue: [0.16, 0.4, 0.8],
  yellow: [0.95, 0.72, 0.15],
} as const satisfies Record<string, Point>

const tasks = ['Put the red block into the bin.', 'Stack the green block on the blue block.'] as const
const oddities: Partial<Record<number, DemoEpisode['oddity']>> = {
  3: 'idle',
  6: 'jerky',
  9: 'idle',
  13: 'jerky',
  17: 'short',
  20: 'idle',
  22: 'jerky',
}
export const episodeCount = 24

/** A stretch of a demonstration: the fingertips move to a point, or rest while the gripper works. */
interface Leg {
  to: Point
  roll: number
  grip: number
  seconds: number
}

const home: Point = [-0.03, -0.075, 0.135]
const gripClosed = blockSize - 0.003

/** Plays one demonstration, frame by frame. The same number always gives the same one. */
export const playEpisode = (index: number): DemoEpisode => {
  const random = createRandom(index * 7919 + 11)
  const isStacking = index % 2 === 1
  const oddity = oddities[index] ?? 'none'
  const blocks = layBlocks(random)
  const [held, target] = isStacking ? [blocks[1], blocks[2]] : [blocks[0], undefined]
  if (!held) throw new Error('a demonstration needs a block')
  const place: Point = target
    ? [target.position[0], target.position[1], blockSize * 1.5]
    : [binCenter[0] + random.between(-0.018, 0.018), binCenter[1] + random.between(-0.018, 0.018), 0.085]
  const legs = planLegs(held, place, target?.yaw ?? random.between(-0.4, 0.4), random)
  if (oddity === 'idle') legs.splice(index === 9 ? 4 : 0, 0, rest(legs, index === 9 ? 3 : -1, random.between(2.2, 3)))
  const commands = drawCommands(legs, random, oddity === 'jerky')
  const scenes = runWorld(commands, blocks, held, place, random)
  const shown = oddity === 'short' ? scenes.slice(0, Math.round(scenes.length * 0.46)) : scenes
  return { task: isStacking ? tasks[1] : tasks[0], oddity, scenes: shown }
}

const layBlocks = (random: Random): Block[] => {
  const names = ['red', 'green', 'blue', 'yellow'] as const
  const blocks: Block[] = []
  for (const name of names) {
    for (;;) {
      const position: Point = [random.between(-0.21, 0.09), random.between(-0.15, 0.0), blockSize / 2]
      const isFree = blocks.every(
        (block) => Math.hypot(block.position[0] - position[0], block.position[1] - position[1]) > 0.078,
      )
      if (!isFree) continue
      blocks.push({ name, color: colors[name], position, yaw: random.between(-0.5, 0.5) })
      break
    }
  }
  return blocks
}

const planLegs = (held: Block, place: Point, placeYaw: number, random: Random): Leg[] => {
  const [x, y] = held.position
  const wide = random.between(0.05, widestGrip)
  const grab: Point = [x + random.noise(0.001), y + random.noise(0.001), blockSize / 2]
  const above: Point = [x, y, random.between(0.1, 0.125)]
  const carried: Point = [(x + place[0]) / 2, (y + place[1]) / 2 - 0.01, random.between(0.15, 0.18)]
  const over: Point = [place[0], place[1], place[2] + random.between(0.045, 0.06)]
  const pace = random.between(0.88, 1.15)
  const leg = (to: Point, roll: number, grip: number, seconds: number): Leg => ({
    to,
    roll,
    grip,
    seconds: seconds * pace,
  })
  const grabRoll = rollFor(held.yaw, grab)
  const placeRoll = rollFor(placeYaw, place)
  return [
    leg(above, grabRoll, wide, 1.0),
    leg(grab, grabRoll, wide, 0.65),
    leg(grab, grabRoll, gripClosed, 0.4),
    leg(above, grabRoll, gripClosed, 0.6),
    leg(carried, (grabRoll + placeRoll) / 2, gripClosed, 0.65),
    leg(over, placeRoll, gripClosed, 0.7),
    leg(place, placeRoll, gripClosed, 0.5),
    leg(place, placeRoll, wide, 0.35),
    leg(over, placeRoll, wide, 0.45),
    leg(home, 0, 0.03, 0.9),
  ]
}

/** The hand turns with the arm; the roll makes up for it, so that the fingers meet the block's faces. */
const rollFor = (yaw: number, at: Point): number => {
  const { pan } = reach(at, 0, 0)
  return clamp(pan - yaw, -1.4, 1.4)
}

const rest = (legs: readonly Leg[], at: number, seconds: number): Leg =>
  at < 0 ? { to: home, roll: 0, grip: 0.03, seconds } : { ...(legs[at] as Leg), seconds }

/** What the operator asks of the arm, per frame: smooth between the points, as a steady hand draws it; or with a tremor. */
const drawCommands = (legs: readonly Leg[], random: Random, isJerky: boolean): Pose[] => {
  const commands: Pose[] = []
  let from: Leg = { to: home, roll: 0, grip: 0.03, seconds: 0 }
  let tremor: Point = [0, 0, 0]
  for (const leg of legs) {
    const frames = Math.max(2, Math.round(leg.seconds * fps))
    for (let frame = 1; frame <= frames; frame += 1) {
      const s = easeMinimumJerk(frame / frames)
      const along = (one: number, other: number): number => one + (other - one) * s
      if (isJerky && frame % 3 === 1) tremor = [random.noise(0.009), random.noise(0.009), random.noise(0.007)]
      const tip: Point = [
        along(from.to[0], leg.to[0]) + tremor[0],
        along(from.to[1], leg.to[1]) + tremor[1],
        Math.max(blockSize / 2 - 0.004, along(from.to[2], leg.to[2]) + tremor[2]),
      ]
      commands.push(reach(tip, along(from.roll, leg.roll), along(from.grip, leg.grip)))
    }
    from = leg
  }
  return commands
}

const easeMinimumJerk = (t: number): number => t * t * t * (10 - 15 * t + 6 * t * t)

const gravity = 9.81
const grabDistance = 0.03

/** The arm follows its commands a little late; a block that the fingers hold goes with them, and falls when they open. */
const runWorld = (
  commands: readonly Pose[],
  start: readonly Block[],
  held: Block,
  place: Point,
  random: Random,
): Scene[] => {
  const scenes: Scene[] = []
  let state = commands[0] as Pose
  let block = held
  let isHeld = false
  let fallSpeed = 0
  let isDone = false
  const isOverBin = place[2] > 0.08
  const restHeight = isOverBin ? blockSize / 2 + 0.003 : blockSize * 1.5
  for (const action of commands) {
    const follow = (one: number, other: number, gain: number, jitter: number): number =>
      one + (other - one) * gain + random.noise(jitter)
    state = {
      pan: follow(state.pan, action.pan, 0.62, 0.0002),
      lift: follow(state.lift, action.lift, 0.62, 0.0002),
      elbow: follow(state.elbow, action.elbow, 0.62, 0.0002),
      wrist: follow(state.wrist, action.wrist, 0.62, 0.0002),
      roll: follow(state.roll, action.roll, 0.62, 0.0002),
      grip: clamp(follow(state.grip, action.grip, 0.55, 0.0001), isHeld ? gripClosed : 0.004, widestGrip),
    }
    const { tip } = placeArm(state)
    const isShut = state.grip < blockSize + 0.004
    const gap = Math.hypot(tip[0] - block.position[0], tip[1] - block.position[1], tip[2] - block.position[2])
    if (!isHeld && !isDone && isShut && gap < grabDistance) isHeld = true
    if (isHeld && !isShut) {
      isHeld = false
      isDone = true
    }
    if (isHeld) {
      block = { ...block, position: tip, yaw: state.pan - state.roll }
    } else if (isDone && block.position[2] > restHeight) {
      fallSpeed += gravity / fps
      const height = Math.max(restHeight, block.position[2] - fallSpeed / fps)
      block = { ...block, position: [block.position[0], block.position[1], height] }
    }
    scenes.push({ state, action, blocks: start.map((one) => (one.name === held.name ? block : one)) })
  }
  return scenes
}
