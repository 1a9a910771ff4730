import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The commit of the checkout the program runs from; null in a release without git. */
export async function findCommit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      timeout: 5000,
    })
    return stdout.trim() || null
  } catch {
    return null
  }
}
