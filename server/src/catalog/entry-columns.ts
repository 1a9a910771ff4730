import { type EntryRow, type FacetName, facetNames, type MeasureName, measureNames } from './repository.ts'

/** What the entries have of one facet: entry i has the values `codes[starts[i]]` to `codes[starts[i + 1]]`. */
export interface FacetColumn {
  starts: Uint32Array
  codes: Uint32Array
  names: string[]
  codeOf: Map<string, number>
}

/** Half powers of ten; bin n begins at the n-th, and the first holds all below one, too. */
const edges = Array.from({ length: 40 }, (_, bin) => (bin % 2 === 0 ? 1 : Math.sqrt(10)) * 10 ** Math.floor(bin / 2))

/** The first bin begins at nothing; an edge is told to six places. */
export const edgeOf = (bin: number): number => (bin === 0 ? 0 : Number((edges[bin] as number).toPrecision(6)))

export const binCount = edges.length - 1

const findBin = (value: number): number => {
  let bin = Math.min(binCount - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) * 2)))
  while (bin + 1 < binCount && value >= (edges[bin + 1] as number)) bin++
  while (bin > 0 && value < (edges[bin] as number)) bin--
  return bin
}

/**
 * What is counted of the entries, a typed array for each thing, by ascending number: a hundred thousand entries are gone through in some
 * milliseconds, and take 10 MB and what their values are called.
 */
export class EntryColumns {
  count = 0
  /** Of entries that were dropped; what only they were called is still held. */
  droppedCount = 0
  numbers = new Float64Array(0)
  readonly facets: Record<FacetName, FacetColumn>
  readonly measures: Record<MeasureName, { values: Float64Array; bins: Uint8Array }>

  constructor() {
    const emptyFacet = (): FacetColumn => ({
      starts: new Uint32Array(1),
      codes: new Uint32Array(0),
      names: [],
      codeOf: new Map(),
    })
    this.facets = mapNames(facetNames, emptyFacet)
    this.measures = mapNames(measureNames, () => ({ values: new Float64Array(0), bins: new Uint8Array(0) }))
  }

  /** Entries whose numbers are ascending, and above those that are there. */
  add(rows: readonly EntryRow[]): void {
    const count = this.count + rows.length
    this.numbers = fit(this.numbers, count)
    for (const name of measureNames) {
      const measure = this.measures[name]
      measure.values = fit(measure.values, count)
      measure.bins = fit(measure.bins, count)
      for (const [at, row] of rows.entries()) {
        measure.values[this.count + at] = row[name]
        measure.bins[this.count + at] = findBin(row[name])
      }
    }
    for (const name of facetNames) this.#addFacet(this.facets[name], rows, name)
    for (const [at, { number }] of rows.entries()) this.numbers[this.count + at] = number
    this.count = count
  }

  #addFacet(facet: FacetColumn, rows: readonly EntryRow[], name: FacetName): void {
    let end = facet.starts[this.count] as number
    facet.starts = fit(facet.starts, this.count + rows.length + 1)
    facet.codes = fit(facet.codes, end + rows.reduce((sum, row) => sum + row[name].length, 0))
    for (const [at, row] of rows.entries()) {
      for (const value of row[name]) {
        let code = facet.codeOf.get(value)
        if (code === undefined) {
          code = facet.names.push(value) - 1
          facet.codeOf.set(value, code)
        }
        facet.codes[end++] = code
      }
      facet.starts[this.count + at + 1] = end
    }
  }

  /** Drops every entry whose place is not marked. */
  keep(isKept: Uint8Array): void {
    let kept = 0
    const ends = mapNames(facetNames, () => 0)
    for (let at = 0; at < this.count; at++) {
      if (isKept[at] === 0) continue
      this.numbers[kept] = this.numbers[at] as number
      for (const name of measureNames) {
        const { values, bins } = this.measures[name]
        values[kept] = values[at] as number
        bins[kept] = bins[at] as number
      }
      for (const name of facetNames) {
        const { starts, codes } = this.facets[name]
        const [from, to] = [starts[at] as number, starts[at + 1] as number]
        codes.copyWithin(ends[name], from, to)
        // Both are at or before what is still to be read.
        starts[kept] = ends[name]
        ends[name] += to - from
      }
      kept++
    }
    for (const name of facetNames) this.facets[name].starts[kept] = ends[name]
    this.droppedCount += this.count - kept
    this.count = kept
  }
}

const mapNames = <Name extends string, Value>(names: readonly Name[], make: () => Value): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Value>

/** The same with room for so many, and for some more where it is made anew. */
function fit<Column extends Float64Array | Uint32Array | Uint8Array>(column: Column, count: number): Column {
  if (column.length >= count) return column
  const larger = new (column.constructor as new (length: number) => Column)(Math.ceil(count * 1.25))
  larger.set(column)
  return larger
}
