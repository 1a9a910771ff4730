import { writeFile } from 'node:fs/promises'
import { ChecksBeside } from '@nmp/formats/checks/beside'
import type { SetStatistics } from '@nmp/formats/checks/beyond-rule'
import { runChecks } from '@nmp/formats/checks/run'
import type { Dataset } from '@nmp/formats/dataset'
import type { MotionScale } from '@nmp/formats/statistics/idle'
import { describeError } from '../errors.ts'
import { readIdentities } from './identities.ts'
import { packPaths, type WrittenPaths } from './paths/parts.ts'
import { readQuantiles } from './quantiles.ts'
import { type StoredReport, takePart } from './stored-report.ts'

/*
 * The part of an import's checks that runs in the process that prepares it. It loads nothing of the database: the client was a third
 * of all modules, and of the time that such a process takes to start.
 */

/** Where what was found is, in the folder that an import is prepared in. */
export const checksFile = 'checks.json'

/** An import waits no longer for its checks; they can be run afterwards. */
const longestMs = 15 * 60_000

const kept = { keepsNear: true, outlivesRules: true } as const

/** What came of the rules of numbers beside an import. */
export interface NumbersOutcome {
  state: 'succeeded' | 'failed'
  message: string
}

export interface CheckedNumbers {
  report: StoredReport
  identities: { episode_index: number; content: string; numbers: string | null }[]
  statistics: SetStatistics
  paths: WrittenPaths | null
}

/** To be given to what reads an import's rows anyway. */
export const startNumbers = (cutOffs: Readonly<Record<string, number>>, signal: AbortSignal): ChecksBeside =>
  new ChecksBeside({ cutOffs: new Map(Object.entries(cutOffs)), signal, maxMs: longestMs, ...kept })

export interface CheckNumbersRequest {
  /** What has looked already; where it could not, the rows are read again. */
  beside: ChecksBeside
  dataset: Dataset
  /** Where it lies. */
  folder: string
  /** Where what is found is written. */
  path: string
  cutOffs: Readonly<Record<string, number>>
  /** As the read model has it. */
  scale: MotionScale | undefined
  signal: AbortSignal
}

/** In the process that prepares an import, on what it has written. Whatever happens here is a status and ends no import. */
export async function checkNumbers(request: CheckNumbersRequest): Promise<NumbersOutcome> {
  const { beside, dataset, folder, path, cutOffs, scale } = request
  const timeout = beside.isLate ? AbortSignal.abort() : AbortSignal.timeout(longestMs)
  const signal = AbortSignal.any([request.signal, timeout])
  try {
    const report =
      beside.conclude(dataset.findings) ??
      (await runChecks(dataset, {
        signal,
        cutOffs: new Map(Object.entries(cutOffs)),
        scale,
        pictures: false,
        opensCameras: false,
        ...kept,
      }))
    const identities = (await readIdentities(folder, signal)).map(({ episodeIndex, content, numbers }) => ({
      episode_index: episodeIndex,
      content: content.toString('base64'),
      numbers: numbers?.toString('base64') ?? null,
    }))
    const statistics = await readQuantiles(folder)
    const paths = report.paths ? packPaths(report.paths) : null
    const checked: CheckedNumbers = { report: takePart(report, 'signals', cutOffs), identities, statistics, paths }
    await writeFile(path, JSON.stringify(checked))
    return { state: 'succeeded', message: '' }
  } catch (error) {
    request.signal.throwIfAborted()
    const reason = timeout.aborted ? `they took longer than ${longestMs / 60_000} minutes.` : describeError(error)
    return { state: 'failed', message: `The import did not wait for the checks: ${reason} Run them again.` }
  }
}
