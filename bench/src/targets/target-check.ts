import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openFolder } from '../../../formats/src/file-tree.ts'
import type { JsonObject } from '../../../formats/src/json.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { getWriter } from '../../../formats/src/writers/index.ts'
import { readTargetOptions } from '../../../formats/src/writers/target-options.ts'
import type { TargetSource } from './target-sources.ts'

const script = join(import.meta.dirname, '../../../formats/test/python/targets_check.py')

/** Writes a target of a source into its folder of `work`, and returns where it is. */
export async function writeTarget(work: string, source: TargetSource, key: string, settings: JsonObject) {
  const writer = getWriter(key)
  const target = join(work, source.name, `${key}-${Object.keys(settings).length}`)
  await using dataset = await openDataset(await openFolder(source.folder))
  await writer.write(dataset, target, { settings: readTargetOptions(writer, settings) })
  return target
}

/** Four words of the check: what it reads, made with what, held against which source, and where it is. */
export const nameCheck = (key: string, settings: JsonObject, source: TargetSource, target: string) => [
  ...[key, JSON.stringify(settings), source.folder, target],
]

/** A line `ok …` or `FAILED …` per target; true if none failed. */
export async function runChecks(interpreter: string, words: readonly string[], more: NodeJS.ProcessEnv) {
  const options = { env: { ...process.env, ...more }, maxBuffer: 64 * 1024 * 1024 }
  const run = promisify(execFile)(interpreter, [script, ...words], options)
  const { stdout, stderr, code } = await run.then(
    (said) => ({ ...said, code: 0 }),
    (failure: { stdout: string; stderr: string; code: number }) => failure,
  )
  process.stdout.write(stdout)
  if (code !== 0) process.stderr.write(stderr.slice(-20_000))
  return code === 0
}
