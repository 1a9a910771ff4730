import { type ColumnFeature, countValues, type Feature, isCamera, isColumn, labelDimensions } from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import { nameAction, nameState, type SignalRoles } from '../../signal-roles.ts'

/** meta/modality.json: which dimensions of state and action are which part of the body, and what the cameras are called. */
export function describeModality(features: readonly Feature[], roles?: SignalRoles): JsonObject {
  const columns = features.filter(isColumn)
  const find = (name: string) => columns.find((column) => column.name === name)
  const cameras = features
    .filter(isCamera)
    .map(({ name }): [string, JsonObject] => [name.replace(/^observation\.images?\./, ''), { original_key: name }])
  return {
    state: describeParts(find(nameState({ roles })), 'state', 'observation.state'),
    action: describeParts(find(nameAction({ roles })), 'action', 'action'),
    video: Object.fromEntries(cameras),
    annotation: { 'human.task_description': { original_key: 'task_index' } },
  }
}

/**
 * Neighbouring dimensions of one part: by their names where those tell arms, grippers and sides apart, else all of them as one. GR00T looks
 * for them in the column `usual`, unless it is told another.
 */
function describeParts(column: ColumnFeature | undefined, whole: string, usual: string): JsonObject {
  if (!column) return {}
  const size = countValues(column.shape)
  const key = column.name === usual ? {} : { original_key: column.name }
  const labels = column.shape.length === 1 ? labelDimensions(column) : []
  const parts = labels.map(namePart)
  if (labels.length !== size || !parts.some((part) => part.endsWith('gripper')))
    return { [whole]: { start: 0, end: size, ...key } }
  const described: JsonObject = {}
  for (let start = 0; start < size; ) {
    const part = parts[start] as string
    let end = start + 1
    while (end < size && parts[end] === part) end++
    const name = part in described ? `${part}_${start}` : part
    described[name] = { start, end, ...key }
    start = end
  }
  return described
}

function namePart(label: string): string {
  const side = /(?:^|[^a-z])(left|right)(?:[^a-z]|$)/i.exec(label)?.[1]?.toLowerCase()
  const part = /gripper/i.test(label) ? 'gripper' : side ? 'arm' : 'single_arm'
  return side ? `${side}_${part}` : part
}
