import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const keptMilliseconds = 24 * 3_600_000
const asked = new Set<string>()

/**
 * Children read the cache of compiled code and cannot write it: what one of them left there, every process of ours would run. So an
 * entry is started once a day outside of any sandbox, with nothing to read; it ends at once and leaves its code, with which children
 * start in half the time.
 */
export function warmCode(entry: URL, cacheFolder: string): void {
  if (asked.has(entry.href)) return
  asked.add(entry.href)
  if (!claim(join(cacheFolder, `warmed-${hash('sha1', entry.href).slice(0, 16)}`))) return
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(entry)], {
    cwd: '/',
    env: { NODE_COMPILE_CACHE: dirname(cacheFolder) },
    stdio: 'ignore',
    detached: true,
  })
  child.once('spawn', () => child.pid !== undefined && setPriority(child.pid, constants.priority.PRIORITY_LOW))
  child.once('error', () => {})
  child.unref()
}

/** Whether it is this process that does it today; never where nobody may write. */
function claim(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs < keptMilliseconds) return false
  } catch {
    // Nobody has done it yet.
  }
  try {
    writeFileSync(path, '')
    return true
  } catch {
    return false
  }
}
