import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkout } from './program.ts'

/** The commands of a workflow for GitHub Actions that a page of docs/ shows under a name, as they are written there. */
export async function listSteps(page: string, name: string): Promise<string[]> {
  const text = await readFile(join(checkout, 'docs', page), 'utf8')
  const workflows = text.split('```yaml\n').map((part) => part.slice(0, part.indexOf('```')))
  const workflow = workflows.find((part) => part.startsWith(`name: ${name}\n`)) ?? ''
  return [...workflow.matchAll(/^ +- run: (.+)$/gm)].map(([, line = '']) => line)
}
