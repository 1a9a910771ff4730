import type { ExportTarget } from '@nmp/sdk/generated/records'
import { listOptions, readOptions } from './target-options.ts'

/** What is asked for in one go. */
export interface ExportWishes {
  /** In the order of the list. */
  keys: readonly string[]
  /** By key, those that differ from the usual, of forms whose every option can be read. */
  options: Readonly<Record<string, Record<string, unknown>>>
  isFaulty: boolean
}

export function readWishes(
  targets: readonly Pick<ExportTarget, 'key' | 'options'>[],
  chosen: ReadonlySet<string>,
  typed: Readonly<Record<string, Readonly<Record<string, string>>>>,
): ExportWishes {
  const options: Record<string, Record<string, unknown>> = {}
  const keys: string[] = []
  let isFaulty = false
  for (const { key, options: schema } of targets) {
    if (!chosen.has(key)) continue
    keys.push(key)
    const { values, faults } = readOptions(listOptions(schema), typed[key] ?? {})
    if (Object.keys(faults).length > 0) isFaulty = true
    else if (Object.keys(values).length > 0) options[key] = values
  }
  return { keys, options, isFaulty }
}

export const sumTargets = (
  targets: readonly Pick<ExportTarget, 'estimated_bytes' | 'estimated_files' | 'estimate'>[],
): { bytes: number; files: number; isMeasuring: boolean } => ({
  bytes: targets.reduce((sum, target) => sum + target.estimated_bytes, 0),
  files: targets.reduce((sum, target) => sum + target.estimated_files, 0),
  isMeasuring: targets.some(({ estimate }) => estimate === 'measuring'),
})
