import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkout } from '../../../e2e/program.ts'

/** Puts text between `<!-- NAME:begin -->` and `<!-- NAME:end -->` of a page of docs/. */
export async function writeToPage(page: string, name: string, text: string): Promise<void> {
  const path = join(checkout, 'docs', page)
  const [from, to] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`]
  const before = await readFile(path, 'utf8')
  const [start, stop] = [before.indexOf(from), before.indexOf(to)]
  if (start < 0 || stop < start) throw new Error(`docs/${page} has no ${from} … ${to}`)
  await writeFile(path, `${before.slice(0, start + from.length)}\n${text}\n${before.slice(stop)}`)
}
