import { setImmediate } from 'node:timers/promises'
import type { Series, SeriesPage } from './series.ts'

/** An answer of charts: the page, and what is said of its episode. */
type SeriesItem = Omit<SeriesPage, 'series'> & Record<string, unknown> & { series: SeriesItemSeries[] }
type SeriesItemSeries = Series & { names: string[] | null }

/** `{"item": …}` as JSON, a dimension at a time: millions of numbers in one piece would hold up everybody. */
export async function* renderSeriesJson({ series, ...rest }: SeriesItem): AsyncGenerator<Buffer> {
  yield Buffer.from(`{"item":${openEnd(rest)},"series":[`)
  for (const [index, { values, ...about }] of series.entries()) {
    yield Buffer.from(`${index === 0 ? '' : ','}${openEnd(about)},"values":[`)
    for (const [dimension, numbers] of values.entries()) {
      await setImmediate()
      yield Buffer.from(`${dimension === 0 ? '' : ','}${JSON.stringify(numbers)}`)
    }
    yield Buffer.from(']}')
  }
  yield Buffer.from(']}}')
}

/** An object to which more is added. */
const openEnd = (fields: object): string => JSON.stringify(fields).slice(0, -1)

export const countNumbers = ({ series }: SeriesPage): number =>
  series.reduce((sum, { values }) => sum + values.reduce((all, numbers) => all + numbers.length, 0), 0)
