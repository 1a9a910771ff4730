import type { RobotJoint } from '../robots.ts'

/** A joint of a URDF that moves by itself. */
export interface ModelJoint {
  name: string
  isSliding: boolean
}

/** What ROS and lerobot put around a name says nothing: `joint_shoulder_pan.pos` is `shoulder pan`. */
const plainName = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([a-zA-Z])(\d)/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, ' ')
    .replace(/\b(joint|jnt|pos|position|qpos|motor|main|follower|state)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** More than a whole turn is no angle in radians. */
const mostRadians = 6.3

/**
 * Which number of the state turns which joint: by equal names, then by names that end alike, then, where no name says anything and there
 * are as many, by place. What is not found stands still. The unit is told by how far the numbers go.
 */
export function suggestJoints(
  joints: readonly ModelJoint[],
  names: readonly string[],
  farthest: readonly number[],
): RobotJoint[] {
  const plain = names.map(plainName)
  const used = new Set<number>()
  const found = new Map<string, number>()
  const take = (isSame: (wanted: string, name: string) => boolean) => {
    for (const { name } of joints) {
      if (found.has(name)) continue
      const wanted = plainName(name)
      const at = plain.findIndex((one, place) => !used.has(place) && one !== '' && wanted !== '' && isSame(wanted, one))
      if (at < 0) continue
      used.add(at)
      found.set(name, at)
    }
  }
  take((wanted, name) => wanted === name)
  take((wanted, name) => wanted.endsWith(` ${name}`) || name.endsWith(` ${wanted}`))
  if (found.size === 0 && joints.length === names.length)
    for (const [place, { name }] of joints.entries()) found.set(name, place)
  const isTurned = Math.max(0, ...joints.map(({ name, isSliding }) => (isSliding ? 0 : reachOf(found.get(name)))))
  function reachOf(dimension: number | undefined): number {
    return dimension === undefined ? 0 : (farthest[dimension] ?? 0)
  }
  return joints.flatMap(({ name, isSliding }): RobotJoint[] => {
    const dimension = found.get(name)
    if (dimension === undefined) return []
    const unit = isSliding ? 'm' : isTurned > mostRadians ? 'deg' : 'rad'
    return [{ joint: name, dimension, unit }]
  })
}

const factors = { rad: 1, deg: Math.PI / 180, m: 1, mm: 0.001 }

/** In radians or metres, as a URDF counts. */
export const toModelValue = (value: number, unit: RobotJoint['unit']): number => value * factors[unit]

/** Which numbers of a column are the place of the hand: those called x, y and z, or the first three of a pose. */
export function findPlaceDimensions(name: string, names: readonly string[]): [number, number, number] | undefined {
  const axes = ['x', 'y', 'z'].map((axis) =>
    names.findIndex((one) => new RegExp(`(^|[^a-z])${axis}$`, 'i').test(one.replace(/\.(pos|position)$/, ''))),
  )
  const [x = -1, y = -1, z = -1] = axes
  if (x >= 0 && y >= 0 && z >= 0) return [x, y, z]
  return /(^|[._])(eef?|tcp|end_?effector|cartesian)[._]?(pos|pose|position|xyz)?$/i.test(name) && names.length >= 3
    ? [0, 1, 2]
    : undefined
}
