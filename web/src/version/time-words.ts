import type { Recipe } from '@nmp/sdk/generated/records'
import { plural } from '../parts/formats.ts'

/** So many episodes are told one by one. */
const mostTold = 12

/** The frames that are kept, half-open in the recipe, told by the last one. */
export const describeRanges = (trim: Recipe['trim']): string | undefined =>
  tell(trim?.ranges, (ranges) => ranges.map(([from = 0, to = 0]) => `frames ${from} to ${to - 1}`).join(' and '), {
    end: trim?.inside === 'split' ? ', each range an episode' : '',
  })

export const describeSplit = (split: Recipe['split']): string | undefined =>
  tell(split, ({ at, tasks }) => `at ${at.join(', ')}${tasks ? ` (${tasks.join(' / ')})` : ''}`)

export function describeIdle(trim: Recipe['trim']): string | undefined {
  const idle = trim?.idle
  if (!idle) return undefined
  const parts = [
    whereWords[idle.from ?? 'start'],
    idle.from === 'anywhere' ? (idle.inside === 'split' ? 'each piece an episode' : 'what is left joined') : undefined,
    idle.threshold === null ? undefined : `below ${idle.threshold} of the usual step`,
    idle.min_idle_frames === null ? undefined : `from ${plural(idle.min_idle_frames, 'frame')} on`,
    idle.keep_frames ? `${plural(idle.keep_frames, 'frame')} kept beside motion` : undefined,
    idle.signal === null ? undefined : `by ${idle.signal === 'both' ? 'state and action' : idle.signal}`,
  ].filter((part) => part !== undefined)
  return `cut ${parts.join(', ')}`
}

const whereWords = {
  start: 'at the start',
  end: 'at the end',
  both: 'at the start and the end',
  anywhere: 'wherever they are',
} as const

function tell<T>(
  entries: Record<string, T> | null | undefined,
  say: (entry: T) => string,
  { end = '' } = {},
): string | undefined {
  const all = Object.entries(entries ?? {})
  if (all.length === 0) return undefined
  const told = all.slice(0, mostTold).map(([index, entry]) => `episode ${index} ${say(entry)}`)
  const more = all.length - told.length
  return `${told.join('; ')}${more > 0 ? `; and ${plural(more, 'more episode')}` : ''}${end}`
}
