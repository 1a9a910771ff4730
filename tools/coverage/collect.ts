import { readdir, readFile, rm } from 'node:fs/promises'
import type { Profiler } from 'node:inspector'
import { join } from 'node:path'
import { mergeScriptCovs } from '@bcoe/v8-coverage'

type Script = Profiler.ScriptCoverage

/** What every process of a run has executed, by the address of the file. */
export type Executed = Map<string, Script>

/** Several at once are merged faster than one by one; more would be held in memory for nothing. */
const batchSize = 16

/**
 * Takes over what processes have left in `folder` (NODE_V8_COVERAGE), and removes it there: a run leaves some gigabytes,
 * nearly all of it about packages. Called again and again while the run goes on.
 */
export async function collectExecuted(folder: string, isOurs: (url: string) => boolean, into: Executed): Promise<void> {
  const waiting = new Map<string, Script[]>()
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const scripts = parseReport(await readFile(path, 'utf8'))
    // Still being written: the next call finds it whole.
    if (!scripts) continue
    await rm(path)
    for (const { url: address, ...script } of scripts) {
      // A test may load a module anew by a query.
      const [url = ''] = address.split('?')
      if (!isOurs(url)) continue
      const same = waiting.get(url) ?? []
      same.push({ ...script, url })
      if (same.length >= batchSize) mergeInto(into, url, same.splice(0))
      waiting.set(url, same)
    }
  }
  for (const [url, same] of waiting) mergeInto(into, url, same)
}

function parseReport(text: string): Script[] | undefined {
  try {
    return JSON.parse(text).result
  } catch {
    return undefined
  }
}

function mergeInto(into: Executed, url: string, scripts: Script[]): void {
  const earlier = into.get(url)
  const merged = mergeScriptCovs(earlier ? [earlier, ...scripts] : scripts)
  if (merged) into.set(url, merged)
}
