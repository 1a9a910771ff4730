import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Real robot data made by other people's tools; see CONTRIBUTING. */
const root = process.env.NMP_FIXTURES ?? fileURLToPath(new URL('../../../shared/fixtures', import.meta.url))

/** Folders below `kind`, or none with a message where the fixtures are absent. */
export function listFixtures(kind: string): { name: string; path: string }[] {
  const folder = `${root}/${kind}`
  if (!existsSync(folder)) {
    process.stderr.write(`skipped: ${folder} is absent; set NMP_FIXTURES to the fixtures\n`)
    return []
  }
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return entries.map(({ name }) => ({ name, path: `${folder}/${name}` }))
}
