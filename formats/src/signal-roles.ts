import { isNumericDtype } from './feature.ts'

/** Which columns are the state and the action of a dataset where they are not called so. Absent: found by LeRobot's names. */
export interface SignalRoles {
  readonly state?: string
  readonly action?: string
}

interface HasRoles {
  readonly roles?: SignalRoles | undefined
}

const usual = { state: 'observation.state', action: 'action' } as const

/** The name that its column has, if it is there. */
export const nameState = ({ roles }: HasRoles): string => roles?.state ?? usual.state
export const nameAction = ({ roles }: HasRoles): string => roles?.action ?? usual.action

/** The name by which forms of other people know a column: state and action are LeRobot's, whatever the dataset calls them. */
export const nameByRole = (column: string, roles: SignalRoles | undefined): string =>
  column === roles?.state ? usual.state : column === roles?.action ? usual.action : column

/** State and action first: where another column has the name that they are known by, it is that one which gets a number. */
export function listByRole<T extends { readonly name: string }>(
  features: readonly T[],
  roles: SignalRoles | undefined,
): readonly T[] {
  const isSet = ({ name }: T): boolean => nameByRole(name, roles) !== name
  return roles ? [...features.filter(isSet), ...features.filter((feature) => !isSet(feature))] : features
}

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

/**
 * They go with their columns where those get other names, also those that were found by name, unless another column has that name now. One
 * that is left out is found by name again.
 */
export function renameRoles(
  roles: SignalRoles | undefined,
  renamed: readonly { readonly source: string; readonly name: string }[],
): SignalRoles | undefined {
  const follow = (role: 'state' | 'action'): string | undefined => {
    const now = renamed.find(({ source }) => source === (roles?.[role] ?? usual[role]))?.name
    const isTaken = roles?.[role] === undefined && renamed.some(({ name }) => name === usual[role])
    return now === usual[role] || isTaken ? undefined : now
  }
  return toRoles(follow('state'), follow('action'))
}

/** Undefined where both are found by name. */
export const toRoles = (
  state: string | null | undefined,
  action: string | null | undefined,
): SignalRoles | undefined =>
  typeof state === 'string' || typeof action === 'string'
    ? { ...(typeof state === 'string' && { state }), ...(typeof action === 'string' && { action }) }
    : undefined
