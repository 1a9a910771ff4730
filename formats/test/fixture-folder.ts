import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A folder of the robot-data fixtures, or undefined with a message where it is absent. */
export function findFixtureFolder(kind: string): string | undefined {
  const root = process.env.NMP_FIXTURES ?? fileURLToPath(new URL('../../../shared/fixtures', import.meta.url))
  const folder = `${root}/${kind}`
  if (existsSync(folder)) return folder
  process.stderr.write(`skipped: ${folder} is absent; set NMP_FIXTURES to the fixtures\n`)
  return undefined
}
