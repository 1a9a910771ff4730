import { type CatalogSearch, facets, measures, nameFacetValue, noRange, rangeOf } from './search.ts'
import { formatMeasure } from './size-brush.tsx'

export interface ChosenFilter {
  name: string
  /** What takes it away. */
  without: Partial<CatalogSearch>
}

export function listChosen(search: CatalogSearch): ChosenFilter[] {
  const values = facets.flatMap(({ key, title }) => {
    const value = search[key]
    if (value === undefined) return []
    const name = nameFacetValue(key, value)
    return [{ name: key === 'cameras' ? `${title} ${name}` : name, without: { [key]: undefined } }]
  })
  const ranges = measures.flatMap((measure) => {
    const range = rangeOf(search, measure)
    if (!range) return []
    const unit = measure === 'episodes' ? ' episodes' : ''
    const [low, high] = [formatMeasure(measure, range.low), range.high && formatMeasure(measure, range.high)]
    const name = high === undefined ? `${low}${unit} or more` : `${low} to ${high}${unit}`
    return [{ name, without: noRange(measure) }]
  })
  return [...values, ...ranges]
}
