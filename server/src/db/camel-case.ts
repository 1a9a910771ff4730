type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name

/** A row with the names that services use; what is inside JSON columns keeps its own. */
export type CamelCased<Row> = Row extends object ? { [Key in keyof Row as Camel<Key>]: Row[Key] } : Row

const names = new Map<string, string>()

const nameOf = (column: string): string => {
  const known = names.get(column)
  if (known !== undefined) return known
  const name = column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  names.set(column, name)
  return name
}

/** Where a row leaves its repository: `deletion_requested_at` becomes `deletionRequestedAt`. */
export const camelCased = <Row extends object | undefined>(row: Row): CamelCased<Row> =>
  row && (Object.fromEntries(Object.entries(row).map(([column, value]) => [nameOf(column), value])) as never)
