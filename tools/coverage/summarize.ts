import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { pathToFileURL } from 'node:url'
import { parse } from 'acorn'
import { convert } from 'ast-v8-to-istanbul'
import istanbul, { type CoverageSummary } from 'istanbul-lib-coverage'
import type { Executed } from './collect.ts'

/** Lines and branches of one file. What no process has loaded counts as not executed. */
export async function summarizeFile(path: string, executed: Executed): Promise<CoverageSummary> {
  // As Node has run it: types are blanks, so that places are those of the source.
  const code = stripTypeScriptTypes(await readFile(path, 'utf8'))
  const url = pathToFileURL(path).href
  const data = await convert({
    code,
    ast: parse(code, { ecmaVersion: 'latest', sourceType: 'module' }),
    coverage: executed.get(url) ?? { url, functions: [neverExecuted(code.length)] },
  })
  const map = istanbul.createCoverageMap(data)
  return map.files().length === 0 ? istanbul.createCoverageSummary() : map.fileCoverageFor(path).toSummary()
}

const neverExecuted = (length: number) => ({
  functionName: '',
  isBlockCoverage: true,
  ranges: [{ startOffset: 0, endOffset: length, count: 0 }],
})
