import type { FeatureStatistics, Manifest } from '../dataset.ts'

/** A column that can be laid under the ruler beside state and action. */
export interface PlottedColumn {
  name: string
  isText: boolean
  /** One each line; text has one. */
  labels: string[]
  /** By line: of every row of the dataset. */
  low: readonly number[] | null
  high: readonly number[] | null
}

/** More lines than this are a picture, and no screen is as high. */
export const mostLines = 64

/** They count rows, and say nothing of the robot. */
const counters = new Set(['frame_index', 'episode_index', 'index'])

/** Every column of numbers or words but the state and the action, which have lanes of their own, in the dataset's order. */
export function listPlottedColumns(
  { observation, action, annotation }: Pick<Manifest, 'observation' | 'action' | 'annotation'>,
  features: readonly FeatureStatistics[],
): PlottedColumn[] {
  const shown = new Set([observation.state?.key, action?.key, ...observation.cameras.map(({ key }) => key)])
  const numbers = features
    .filter(({ name }) => !shown.has(name) && !counters.has(name))
    .map(({ name, shape, names, min, max }): PlottedColumn => {
      const width = shape.reduce((product, size) => product * size, 1)
      const labels = names?.length === width ? names : Array.from({ length: width }, (_, index) => String(index))
      return { name, isText: false, labels, low: min, high: max }
    })
  const known = new Set(features.map(({ name }) => name))
  // What an annotation set fills is called `SET/FIELD` and is no column.
  const words = annotation.keys.filter((key) => !key.includes('/') && !known.has(key) && !shown.has(key))
  return [...numbers, ...words.map((name) => ({ name, isText: true, labels: [''], low: null, high: null }))]
}

/** What a row of text or language says in one line. */
export function sayText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return [...new Set(value.map(sayText).filter(Boolean))].join(' · ')
  if (value !== null && typeof value === 'object' && 'content' in value) return sayText(value.content)
  return ''
}

export interface TextSpan {
  text: string
  /** First frame, and the one after the last. */
  from: number
  to: number
}

/** Where a text begins and ends; frames without one are in no span. */
export function listTextSpans(frames: readonly number[], values: readonly unknown[], end: number): TextSpan[] {
  const spans: TextSpan[] = []
  for (const [at, frame] of frames.entries()) {
    const text = sayText(values[at])
    const last = spans.at(-1)
    if (last && last.text === text) last.to = frames[at + 1] ?? end
    else spans.push({ text, from: frame, to: frames[at + 1] ?? end })
  }
  return spans.filter(({ text }) => text !== '')
}
