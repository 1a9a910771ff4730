import type { LaneData } from '../../data/episodes/lanes.ts'

/** What a plot draws: lines over the same frames in one range. */
export interface LaneLines {
  frames: number[]
  lines: { values: (number | null)[]; color: string; width: number }[]
  low: number
  high: number
  /** Where the one grid line is. */
  middle: number
}

/** State and action as they are, the recorded action under the changed one, or what lies between state and action. */
export function drawLane(data: LaneData, isDifference: boolean): LaneLines {
  if (isDifference && data.state && data.action) return drawDifference(data, data.state, data.action)
  const margin = (data.high - data.low || Math.abs(data.high) || 1) * 0.02
  const lines: LaneLines['lines'] = []
  if (data.recorded) lines.push({ values: data.recorded, color: '--bars', width: 1.25 })
  if (data.state) lines.push({ values: data.state, color: '--state-line', width: 1.25 })
  if (data.action) lines.push({ values: data.action, color: '--action-line', width: 1.25 })
  if (data.column) lines.push({ values: data.column, color: '--ink-2', width: 1.25 })
  const [low, high] = [data.low - margin, data.high + margin]
  return { frames: data.frames, lines, low, high, middle: (low + high) / 2 }
}

function drawDifference(data: LaneData, state: (number | null)[], action: (number | null)[]): LaneLines {
  let most = 1e-9
  const values = action.map((value, index) => {
    const other = state[index]
    if (value === null || other === null || other === undefined) return null
    most = Math.max(most, Math.abs(value - other))
    return value - other
  })
  return { frames: data.frames, lines: [{ values, color: '--ink', width: 1.25 }], low: -most, high: most, middle: 0 }
}

/** A folded group: the state of every dimension (or its action where there is none), each in its own range. */
export function drawGroup(lanes: readonly LaneData[]): LaneLines {
  const lines = lanes.flatMap(({ state, action, column, low, high }) => {
    const values = state ?? action ?? column
    const range = high - low || 1
    const color = state ? '--state-line' : action ? '--action-line' : '--ink-2'
    return values
      ? [{ values: values.map((one) => (one === null ? null : (one - low) / range)), color, width: 0.75 }]
      : []
  })
  return { frames: lanes[0]?.frames ?? [], lines, low: -0.02, high: 1.02, middle: 0.5 }
}
