/**
 * Recordings of a simulated arm whose faults are known: who stands still and from which frame to which, who shakes, who is slow.
 * Signals only, no pictures. The same options give the same numbers.
 */
export type Kind = 'ok' | 'idle-start' | 'idle-middle' | 'idle-end' | 'shaky' | 'slow'

export interface SetOptions {
  readonly seed: number
  readonly episodes: number
  readonly fps: number
  /** About how long a usual episode is. */
  readonly seconds: number
  /** Joints of one arm; x, y, z, roll, pitch, yaw of its hand, roll about ±π; joints of two arms of which one does nothing. */
  readonly space: 'joints' | 'pose' | 'two-arms'
  /** A script repeats itself; a person differs in pace, wanders and hesitates. */
  readonly operator: 'script' | 'person'
  /** A switch (0 or 1) in state and action; a switch that is commanded and an opening that is read; an opening in both; none. */
  readonly gripper: 'switch' | 'commanded' | 'opening' | 'none'
  /** Of each reading, as a share of what the arm usually moves in a twentieth of a second. */
  readonly noise: number
  /** Readings of an encoder with 4096 ticks a turn. */
  readonly isQuantised?: boolean
  /** How many of each kind; the others are ok. */
  readonly bad: Partial<Record<Kind, number>>
  /** How far a tremor throws the hand, metres. */
  readonly tremor?: number
}

export interface LabelledEpisode {
  readonly kind: Kind
  readonly frames: number
  readonly state: Float32Array
  readonly action: Float32Array
  /** Frames [from, to) in which the arm was told to stand still beyond what the task needs. */
  readonly idle: readonly (readonly [number, number])[]
}

export interface LabelledSet {
  readonly fps: number
  readonly names: readonly string[]
  readonly episodes: readonly LabelledEpisode[]
}

type Pose = readonly [x: number, y: number, z: number, yaw: number]

interface Command {
  pose: Pose
  grip: number
}

export function makeLabelledSet(options: SetOptions): LabelledSet {
  const random = createRandom(options.seed)
  const kinds: Kind[] = Object.entries(options.bad).flatMap(([kind, count]) => Array(count).fill(kind as Kind))
  while (kinds.length < options.episodes) kinds.push('ok')
  for (let at = kinds.length - 1; at > 0; at--) {
    const other = Math.floor(random.between(0, at + 1))
    ;[kinds[at], kinds[other]] = [kinds[other] as Kind, kinds[at] as Kind]
  }
  return {
    fps: options.fps,
    names: nameDimensions(options),
    episodes: kinds.map((kind) => record(kind, options, random)),
  }
}

function record(kind: Kind, options: SetOptions, random: Random): LabelledEpisode {
  const { fps, operator, seconds } = options
  const isPerson = operator === 'person'
  const pace =
    (seconds / 6.2) * Math.exp(random.noise(isPerson ? 0.18 : 0.05)) * (kind === 'slow' ? random.between(2.4, 3.5) : 1)
  const home: Pose = [0.25, 0, 0.25, 0]
  const from: Pose = [random.between(0.2, 0.4), random.between(-0.2, 0), 0.03, random.between(-0.6, 0.6)]
  const to: Pose = [random.between(0.2, 0.4), random.between(0.05, 0.25), 0.05, random.between(-0.6, 0.6)]
  const above = (pose: Pose, height: number): Pose => [pose[0], pose[1], height, pose[3]]
  const legs: [pose: Pose, grip: number, seconds: number][] = [
    [above(from, 0.16), 1, 1.1],
    [from, 1, 0.7],
    [from, 0, 0.4],
    [above(from, 0.2), 0, 0.7],
    [above(to, 0.2), 0, 1.2],
    [to, 0, 0.7],
    [to, 1, 0.4],
    [above(to, 0.15), 1, 0.5],
    [home, 1, 0.5],
  ]
  const commands: Command[] = []
  const idle: [number, number][] = []
  const push = (pose: Pose, grip: number, count: number) => {
    for (let frame = 0; frame < count; frame++) commands.push({ pose, grip })
  }
  const stand = (pose: Pose, grip: number) => {
    const start = commands.length
    const share = random.between(0.2, 0.45)
    push(pose, grip, Math.round(Math.max(1.2, share * seconds) * fps))
    idle.push([start, commands.length])
  }
  const pauseAfter = kind === 'idle-middle' ? Math.floor(random.between(3, 6)) : -1
  const wander = isPerson ? random.between(0.002, 0.006) : 0
  const phases = Array.from({ length: 6 }, () => random.between(0, 6.28))
  let tremor: Pose = [0, 0, 0, 0]
  const size = options.tremor ?? random.between(0.005, 0.009)
  let at: Pose = home
  if (kind === 'idle-start') stand(home, 1)
  const tremorFrames = Math.max(1, Math.round(fps * 0.12))
  for (const [index, [pose, grip, legSeconds]] of legs.entries()) {
    const count = Math.max(2, Math.round(legSeconds * pace * (isPerson ? Math.exp(random.noise(0.15)) : 1) * fps))
    for (let frame = 1; frame <= count; frame++) {
      const s = easeMinimumJerk(frame / count)
      const along = (dimension: number) =>
        (at[dimension] as number) + ((pose[dimension] as number) - (at[dimension] as number)) * s
      const now = commands.length / fps / Math.max(1, pace)
      const sway = (dimension: number) =>
        wander * Math.sin(now * (1.9 + 0.7 * dimension) + (phases[dimension] as number)) * Math.min(1, now)
      if (kind === 'shaky' && frame % tremorFrames === 1 % tremorFrames)
        tremor = [random.noise(size), random.noise(size), random.noise(size), random.noise(size * 6)]
      const isGrasp = index === 2 || index === 6
      commands.push({
        pose: [
          along(0) + sway(0) + tremor[0],
          along(1) + sway(1) + tremor[1],
          along(2) + sway(2) + tremor[2],
          along(3) + 4 * sway(3) + tremor[3],
        ],
        grip: isGrasp && options.gripper === 'opening' ? grip + (1 - 2 * grip) * (1 - s) : grip,
      })
    }
    at = pose
    const last = commands.at(-1) as Command
    if (isPerson && random.between(0, 1) < 0.35) push(last.pose, last.grip, Math.round(random.between(0.1, 0.5) * fps))
    if (index === pauseAfter) stand(last.pose, last.grip)
  }
  if (kind === 'idle-end') {
    const last = commands.at(-1) as Command
    stand(last.pose, last.grip)
  }
  return { kind, frames: commands.length, idle, ...measure(commands, options, random) }
}

/** The arm follows its commands late and reports with noise. */
function measure(commands: readonly Command[], options: SetOptions, random: Random) {
  const { fps, noise, gripper, isQuantised = false } = options
  const gain = 1 - Math.exp(-1 / (fps * 0.07))
  const rows = commands.map(({ pose }) => convert(pose, options))
  const width = (rows[0]?.length ?? 0) + (gripper === 'none' ? 0 : 1)
  const state = new Float32Array(commands.length * width)
  const action = new Float32Array(commands.length * width)
  const current = [...(rows[0] ?? [])]
  let opening = commands[0]?.grip ?? 0
  // What the hand covers in a twentieth of a second at 0.25 m/s and what its joints turn meanwhile.
  const scales = options.space === 'pose' ? [0.012, 0.012, 0.012, 0.02, 0.02, 0.05] : [0.04]
  const tick = options.space === 'pose' ? 0 : (2 * Math.PI) / 4096
  const report = (value: number, dimension: number): number => {
    const noisy = value + random.noise(noise * (scales[dimension % scales.length] as number))
    return isQuantised && tick > 0 ? Math.round(noisy / tick) * tick : noisy
  }
  for (const [frame, { grip }] of commands.entries()) {
    const row = rows[frame] as number[]
    // A frame is what was seen before its command was carried out.
    for (const [dimension, target] of row.entries()) {
      const now = current[dimension] as number
      current[dimension] = now + (target - now) * gain
      const isAngle = options.space === 'pose' && dimension === 3
      const wrap = (angle: number) => (isAngle && angle > Math.PI ? angle - 2 * Math.PI : angle)
      state[frame * width + dimension] = wrap(report(now, dimension))
      action[frame * width + dimension] = wrap(target)
    }
    if (gripper === 'none') continue
    const at = frame * width + width - 1
    action[at] = grip
    state[at] = gripper === 'switch' ? Math.round(opening) : opening + random.noise(noise * 0.01)
    opening += (grip - opening) * (1 - Math.exp(-1 / (fps * 0.12)))
  }
  return { state, action }
}

function convert(pose: Pose, { space }: SetOptions): number[] {
  const [x, y, z, yaw] = pose
  // The hand leans a little with its place, so that no dimension is constant; it points down, where roll is ±π.
  if (space === 'pose') return [x, y, z, Math.PI + 0.15 * y, 0.1 * (x - 0.3), yaw]
  const arm = reach(pose)
  return space === 'joints' ? arm : [...arm, ...[0.1, -1.2, 1.4, 0.3, 0]]
}

/** Pan, shoulder, elbow, wrist and roll of an arm with two links of 0.28 and 0.26 m whose hand points down. */
function reach([x, y, z, yaw]: Pose): number[] {
  const pan = Math.atan2(y, x)
  const out = Math.hypot(x, y)
  const up = z + 0.1 - 0.12
  const distance = Math.min(Math.hypot(out, up), 0.539)
  const shoulder = Math.atan2(up, out) + Math.acos(cut((0.28 ** 2 + distance ** 2 - 0.26 ** 2) / (0.56 * distance)))
  const elbow = Math.PI - Math.acos(cut((0.28 ** 2 + 0.26 ** 2 - distance ** 2) / (2 * 0.28 * 0.26)))
  return [pan, shoulder, elbow, -Math.PI / 2 - (shoulder - elbow), pan - yaw]
}

function nameDimensions({ space, gripper }: SetOptions): string[] {
  const joints = ['pan', 'shoulder', 'elbow', 'wrist', 'roll']
  const names = {
    joints,
    pose: ['x', 'y', 'z', 'roll', 'pitch', 'yaw'],
    'two-arms': ['right', 'left'].flatMap((side) => joints.map((joint) => `${side}_${joint}`)),
  }[space]
  return gripper === 'none' ? names : [...names, 'gripper']
}

interface Random {
  between(low: number, high: number): number
  noise(scale: number): number
}

/** mulberry32 */
function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (low, high) => low + (high - low) * next(),
    noise: (scale) => (next() + next() + next() + next() - 2) * scale * 1.73,
  }
}

const cut = (value: number): number => Math.min(1, Math.max(-1, value))
const easeMinimumJerk = (t: number): number => t * t * t * (10 - 15 * t + 6 * t * t)
