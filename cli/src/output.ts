/** Where a command speaks: results on standard output, all else on standard error. */
export interface Output {
  json: boolean
  quiet: boolean
  isTerminal: boolean
  /** A line for people; silent with --json and -q. */
  say(line: string): void
  /** A remark beside the result, on standard error; silent with -q. */
  note(line: string): void
  /** One record: `--json` prints it, -q its id, people see the lines. */
  show(record: object, id: string, lines: [string, unknown][]): void
  /** A list: a JSON array, ids, or a table. */
  list<R extends object>(records: R[], columns: Columns<R>, idOf: (record: R) => string): void
  /** Exactly this text, whatever the options. */
  print(text: string): void
}

export type Columns<R> = Record<string, (record: R) => unknown>

export interface Streams {
  stdout: { write(text: string): unknown; isTTY?: boolean | undefined; columns?: number | undefined }
  stderr: { write(text: string): unknown; isTTY?: boolean | undefined; columns?: number | undefined }
}

export function createOutput(
  { stdout, stderr }: Streams,
  options: { json: boolean; quiet: boolean; canDraw: boolean },
): Output {
  const { json, quiet } = options
  const print = (text: string): void => {
    stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }
  return {
    json,
    quiet,
    isTerminal: stderr.isTTY === true && options.canDraw,
    print,
    say: (line) => {
      if (!json && !quiet) print(line)
    },
    note: (line) => {
      if (!quiet) stderr.write(`${line}\n`)
    },
    show: (record, id, lines) => {
      if (json) return print(JSON.stringify(record, null, 2))
      if (quiet) return print(id)
      const width = Math.max(...lines.map(([name]) => name.length))
      for (const [name, value] of lines) {
        if (value !== null && value !== undefined && value !== '') print(`${name.padEnd(width)}  ${formatCell(value)}`)
      }
    },
    list: (records, columns, idOf) => {
      if (json) return print(JSON.stringify(records, null, 2))
      if (quiet) {
        for (const record of records) print(idOf(record))
        return
      }
      if (records.length === 0) return print('none')
      print(
        renderTable(
          Object.keys(columns),
          records.map((record) => Object.values(columns).map((read) => formatCell(read(record)))),
        ),
      )
    },
  }
}

const formatCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  // What others wrote must not move the cursor of who reads it.
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
}

function renderTable(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, index) => Math.max(head.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(heads.map((head) => head.toUpperCase())), ...rows.map(line)].join('\n')
}

/** As the console shows them. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return ''
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export const formatSeconds = (seconds: number): string => {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  return hours > 0 ? `${hours}h ${minutes}m` : minutes > 0 ? `${minutes}m ${whole % 60}s` : `${whole}s`
}
