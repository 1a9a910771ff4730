export interface Outcome {
  client: string
  version: string
  operation: string
  /** `absent`: this version of the client has no such thing. `not run`: something that it needs cannot be had here. `fails`: none of these. */
  outcome: 'works' | 'refused' | 'absent' | 'not run' | 'fails'
  words: string
  isExpected: boolean
}

/** A table for each client: its operations, and what each version of it got. */
export function renderTables(outcomes: readonly Outcome[]): string {
  const clients = Map.groupBy(outcomes, ({ client }) => client)
  return [...clients].map(([client, rows]) => renderTable(client, rows)).join('\n\n')
}

function renderTable(client: string, rows: readonly Outcome[]): string {
  const versions = [...new Set(rows.map(({ version }) => version))]
  const operations = Map.groupBy(rows, ({ operation }) => operation)
  const lines = [...operations].map(([operation, cells]) => {
    const shown = versions.map((version) => renderCell(cells.find((cell) => cell.version === version)))
    const [first = ''] = shown
    const isSame = shown.length > 1 && first !== 'works' && shown.every((cell) => cell === first)
    return `| ${operation} | ${shown.map((cell, place) => (isSame && place > 0 ? 'the same' : cell)).join(' | ')} |`
  })
  const head = `| ${client} | ${versions.join(' | ')} |\n| --- |${versions.map(() => ' --- |').join('')}`
  return `${head}\n${lines.join('\n')}`
}

function renderCell(cell: Outcome | undefined): string {
  if (!cell || cell.outcome === 'absent') return '-'
  if (cell.outcome === 'works') return cell.words ? `works: ${escapeCell(cell.words)}` : 'works'
  return `${cell.outcome}: ${escapeCell(cell.words)}`
}

const mostCharacters = 160

function escapeCell(words: string): string {
  const lasting = words.replaceAll(/\b[0-9a-f]{40}\b/g, '…').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
  const plain = lasting.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  return plain.length <= mostCharacters ? plain : `${plain.slice(0, mostCharacters)}…`
}
