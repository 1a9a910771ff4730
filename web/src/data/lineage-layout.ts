interface Edge {
  from: string
  to: string
}

export interface Placed {
  id: string
  /** Steps from what came first. */
  column: number
  row: number
}

/** What came first stands left; what was made from something stands right of all that it was made from, near the first of those. */
export function layOutLineage(ids: readonly string[], edges: readonly Edge[]): Placed[] {
  const sources = Map.groupBy(edges, ({ to }) => to)
  const columns = new Map<string, number>()
  const findColumn = (id: string, below: ReadonlySet<string>): number => {
    const known = columns.get(id)
    if (known !== undefined) return known
    // Nothing is made from itself; if the answer said so, it would be drawn all the same.
    const deeper = new Set([...below, id])
    const before = (sources.get(id) ?? []).filter(({ from }) => !deeper.has(from))
    const column = Math.max(-1, ...before.map(({ from }) => findColumn(from, deeper))) + 1
    columns.set(id, column)
    return column
  }
  for (const id of ids) findColumn(id, new Set())
  const rows = new Map<string, number>()
  const byColumn = Map.groupBy(ids, (id) => columns.get(id) ?? 0)
  for (const column of [...byColumn.keys()].sort((one, other) => one - other)) {
    const wanted = (id: string): number => {
      const near = (sources.get(id) ?? []).flatMap(({ from }) => rows.get(from) ?? [])
      return near.length === 0 ? 0 : Math.min(...near)
    }
    let next = 0
    for (const id of (byColumn.get(column) ?? []).toSorted((one, other) => wanted(one) - wanted(other))) {
      const row = Math.max(next, wanted(id))
      rows.set(id, row)
      next = row + 1
    }
  }
  return ids.map((id) => ({ id, column: columns.get(id) ?? 0, row: rows.get(id) ?? 0 }))
}
