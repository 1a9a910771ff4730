import { isNumericDtype } from './feature.ts'

/** Which columns are the state and the action of a dataset where they are not called so. Absent: found by LeRobot's names. */
export interface SignalRoles {
  readonly state?: string
  readonly action?: string
}

interface HasRoles {
  readonly roles?: SignalRoles | undefined
}

/** The name that its column has, if it is there. */
export const nameState = ({ roles }: HasRoles): string => roles?.state ?? 'observation.state'
export const nameAction = ({ roles }: HasRoles): string => roles?.action ?? 'action'

/** The same dataset, read by them. */
export const withRoles = <T extends HasRoles>(dataset: T, roles: SignalRoles | undefined): T =>
  roles ? { ...dataset, roles } : dataset

interface DescribedColumn {
  readonly name: string
  readonly dtype: string
  readonly shape: readonly number[]
}

/** Whether a column can be state or action: rows of numbers, and neither pictures nor truth values. */
export const canBeSignal = ({ dtype, shape }: Omit<DescribedColumn, 'name'>): boolean =>
  isNumericDtype(dtype) && dtype !== 'bool' && shape.length === 1

/** What of them holds for these columns; `missing` names those that cannot be used, which are found by name then. */
export function resolveRoles(
  roles: SignalRoles | undefined,
  columns: readonly DescribedColumn[],
): { roles: SignalRoles | undefined; missing: string[] } {
  const isThere = (name: string | undefined): boolean =>
    columns.some((column) => column.name === name && canBeSignal(column))
  const keep = (name: string | undefined) => (isThere(name) ? name : undefined)
  const wanted = [roles?.state, roles?.action].filter((name) => name !== undefined)
  return { roles: toRoles(keep(roles?.state), keep(roles?.action)), missing: wanted.filter((name) => !isThere(name)) }
}

/** What is left of them where columns get other names; one that is left out is found by name again. */
export function renameRoles(
  roles: SignalRoles | undefined,
  nameOf: (column: string) => string | undefined,
): SignalRoles | undefined {
  const state = roles?.state === undefined ? undefined : nameOf(roles.state)
  const action = roles?.action === undefined ? undefined : nameOf(roles.action)
  return toRoles(state, action)
}

/** Undefined where both are found by name. */
export const toRoles = (
  state: string | null | undefined,
  action: string | null | undefined,
): SignalRoles | undefined =>
  typeof state === 'string' || typeof action === 'string'
    ? { ...(typeof state === 'string' && { state }), ...(typeof action === 'string' && { action }) }
    : undefined
