import { type ActionStep, noAction } from './recipe-draft.ts'

/** A dimension of the action, and whether it only switches between a few values, as a gripper that is open or shut. */
export interface ActionDimension {
  readonly name: string
  readonly isSwitch: boolean
}

const smoothing = { smoothing_window: 9, smoothing_mode: 'gaussian' } as const

/** What the step begins with: everything that moves is smoothed, what switches is left alone. */
export function beginAction(dimensions: readonly ActionDimension[]): ActionStep {
  if (!canChoose(dimensions)) return { ...noAction, ...smoothing }
  const moving = dimensions.filter(({ isSwitch }) => !isSwitch)
  // Nothing moves: the step is on, and does nothing until something is asked of it.
  if (moving.length === 0 && dimensions.length > 0) return { ...noAction, scale: 1 }
  return { ...noAction, ...smoothing, smoothing_dimensions: listChosen(dimensions, moving) }
}

/** Names say which dimension is meant where no two share one. */
export const canChoose = (dimensions: readonly ActionDimension[]): boolean =>
  new Set(dimensions.map(({ name }) => name)).size === dimensions.length

export const isSmoothed = (action: ActionStep, name: string): boolean =>
  action.smoothing_window !== null && (action.smoothing_dimensions?.includes(name) ?? true)

/** The last one that is switched off ends the smoothing, and the first that is switched on begins it. */
export function toggleSmoothed(action: ActionStep, dimensions: readonly ActionDimension[], name: string): ActionStep {
  const next = dimensions.filter((one) => isSmoothed(action, one.name) !== (one.name === name))
  if (next.length === 0) return { ...action, smoothing_window: null, smoothing_dimensions: null }
  return {
    ...action,
    smoothing_window: action.smoothing_window ?? smoothing.smoothing_window,
    smoothing_mode: action.smoothing_mode ?? smoothing.smoothing_mode,
    smoothing_dimensions: listChosen(dimensions, next),
  }
}

/** Null where it is all of them. */
const listChosen = (all: readonly ActionDimension[], chosen: readonly ActionDimension[]): string[] | null =>
  chosen.length === all.length ? null : chosen.map(({ name }) => name)
