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
    let separator = ''
    for (const numbers of values) {
      yield Buffer.from(separator + JSON.stringify(numbers))
      separator = ','
      await setImmediate()
    }
    yield Buffer.from(']}')
  }
  yield Buffer.from(']}}')
}

/** An object to which more is added. */
const openEnd = (fields: object): string => JSON.stringify(fields).slice(0, -1)
