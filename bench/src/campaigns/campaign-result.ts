import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { arch, cpus, totalmem } from 'node:os'
import { join } from 'node:path'

export const resultFolder = join(import.meta.dirname, '..', '..', 'results')

export const describeMachine = () => ({
  date: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: import.meta.dirname }).trim(),
  machine: `${cpus().length} x ${cpus()[0]?.model}, ${arch()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  node: process.version,
})

/** One file a day, and one of its own for a campaign that was not run whole. */
export const writeResult = async (
  result: { campaign: string; date: string; scale: number } & Record<string, unknown>,
): Promise<void> => {
  await mkdir(resultFolder, { recursive: true })
  const scaled = result.scale === 1 ? '' : `-scale-${result.scale}`
  const file = join(resultFolder, `${result.campaign}-${result.date.slice(0, 10)}${scaled}.json`)
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
  console.log(`written to ${file}`)
}
