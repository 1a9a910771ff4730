/** x to the right, y away from the front camera, z up; metres. */
export type Point = readonly [x: number, y: number, z: number]

/** Radians; `grip` is the opening in metres. */
export interface Pose {
  pan: number
  lift: number
  elbow: number
  wrist: number
  roll: number
  grip: number
}

export const jointNames = [
  'shoulder_pan.pos',
  'shoulder_lift.pos',
  'elbow_flex.pos',
  'wrist_flex.pos',
  'wrist_roll.pos',
  'gripper.pos',
] as const

export const armBase: Point = [0, 0.17, 0]
export const shoulderHeight = 0.115
const upperArm = 0.185
const foreArm = 0.165
const hand = 0.105
export const widestGrip = 0.062

/** Where the parts of the arm are in a pose. */
export interface ArmPoints {
  shoulder: Point
  elbow: Point
  wrist: Point
  palm: Point
  tip: Point
  /** Unit vector along which the fingers open. */
  across: Point
}

/** The pose in which the fingertips are at a point and point straight down. */
export const reach = (tip: Point, roll: number, grip: number): Pose => {
  const x = tip[0] - armBase[0]
  const y = tip[1] - armBase[1]
  const pan = Math.atan2(x, -y)
  const out = Math.hypot(x, y)
  const up = tip[2] + hand - shoulderHeight
  const distance = Math.min(Math.hypot(out, up), upperArm + foreArm - 0.001)
  const inner = (upperArm ** 2 + distance ** 2 - foreArm ** 2) / (2 * upperArm * distance)
  const lift = Math.atan2(up, out) + Math.acos(clamp(inner, -1, 1))
  const bend = (upperArm ** 2 + foreArm ** 2 - distance ** 2) / (2 * upperArm * foreArm)
  const elbow = Math.PI - Math.acos(clamp(bend, -1, 1))
  return { pan, lift, elbow, wrist: -Math.PI / 2 - (lift - elbow), roll, grip }
}

export const placeArm = ({ pan, lift, elbow, wrist, roll }: Pose): ArmPoints => {
  const forward: Point = [Math.sin(pan), -Math.cos(pan), 0]
  const side: Point = [Math.cos(pan), Math.sin(pan), 0]
  const step = (from: Point, angle: number, length: number): Point => [
    from[0] + forward[0] * Math.cos(angle) * length,
    from[1] + forward[1] * Math.cos(angle) * length,
    from[2] + Math.sin(angle) * length,
  ]
  const shoulder: Point = [armBase[0], armBase[1], shoulderHeight]
  const elbowPoint = step(shoulder, lift, upperArm)
  const wristPoint = step(elbowPoint, lift - elbow, foreArm)
  const down = lift - elbow + wrist
  const across: Point = [
    side[0] * Math.cos(roll) + forward[0] * Math.sin(roll) * -Math.sin(down),
    side[1] * Math.cos(roll) + forward[1] * Math.sin(roll) * -Math.sin(down),
    Math.sin(roll) * Math.cos(down),
  ]
  return {
    shoulder,
    elbow: elbowPoint,
    wrist: wristPoint,
    palm: step(wristPoint, down, hand * 0.5),
    tip: step(wristPoint, down, hand),
    across,
  }
}

const degrees = 180 / Math.PI

/** As an SO-100 arm reports it: degrees, and the gripper from 0 (closed) to 100. */
export const listJoints = (pose: Pose): number[] => [
  pose.pan * degrees,
  pose.lift * degrees,
  pose.elbow * degrees,
  pose.wrist * degrees,
  pose.roll * degrees,
  (pose.grip / widestGrip) * 100,
]

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
