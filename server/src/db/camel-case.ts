type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name

type Snake<Name, Done extends string = ''> = Name extends `${infer Letter}${infer Rest}`
  ? Snake<Rest, `${Done}${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}`>
  : Done

/** A row with the names that services use; what is inside JSON columns keeps its own. */
export type CamelCased<Row> = Row extends object ? { [Key in keyof Row as Camel<Key>]: Row[Key] } : Row

type SnakeCased<Fields> = { [Key in keyof Fields as Snake<Key>]: Fields[Key] }

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

type Renamed<Table extends string, Column extends string> = Column extends Column
  ? `${Table}.${Column} as ${Camel<Column> & string}`
  : never

/** Columns to select under the names that services use: the database renames them, and no row is converted when it is read. */
export const renamed = <Table extends string, const Column extends string>(
  table: Table,
  columns: readonly Column[],
): Renamed<Table, Column>[] =>
  columns.map((column) => `${table}.${column} as ${nameOf(column)}` as Renamed<Table, Column>)

/** Where what a service says enters its repository: `deletionRequestedAt` becomes `deletion_requested_at`. */
export const snakeCased = <Fields extends object>(fields: Fields): SnakeCased<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  ) as never
