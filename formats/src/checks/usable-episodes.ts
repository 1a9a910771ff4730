import type { Dataset, ReportProgress } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { isCamera } from '../feature.ts'
import { Findings } from '../finding.ts'
import { MeasuredSignals, reportStale } from '../statistics/stale.ts'
import { SetSurvey } from './set-facts.ts'

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ReportProgress | undefined
  /** Whether every camera is opened to see that it can be; default true. */
  readonly opensCameras?: boolean
  /** Whether the statistics that the source states are held against its numbers; default false. */
  readonly comparesStated?: boolean
}

/** Reads every row once and opens every camera: what of it can be used, and what the numbers are like. */
export async function findUsable(
  dataset: Dataset,
  { signal, onProgress, opensCameras = true, comparesStated = false }: ReadOptions,
): Promise<{ usable: Dataset; survey: SetSurvey; findings: Findings }> {
  const survey = new SetSurvey(dataset)
  const findings = new Findings()
  const positions: number[] = []
  let frameCount = 0
  const cameras = opensCameras ? dataset.features.filter(isCamera) : []
  const whole = new MeasuredSignals(dataset)
  for (let position = 0; position < dataset.episodeCount; position++) {
    const episode = dataset.getEpisode(position)
    const measured = comparesStated ? new MeasuredSignals(dataset) : undefined
    try {
      let rows = 0
      for await (const block of episode.readBlocks(signal ? { signal } : {})) {
        rows += block.frameCount
        survey.add(block.columns)
        measured?.add(block)
      }
      if (rows !== episode.length)
        throw new FormatError('episode_unreadable', `it has ${rows} rows instead of ${episode.length}.`)
      for (const { name } of cameras) await episode.openCamera(name)
      positions.push(position)
      frameCount += rows
      if (measured) {
        reportStale(await episode.findStatedStatistics?.(), measured.moments, findings, episode.sourceIndex)
        whole.join(measured)
      }
    } catch (error) {
      if (!(error instanceof FormatError) || signal?.aborted) throw error
      findings.add('episode-file-unreadable', `Episode ${episode.sourceIndex}: ${error.message}`, episode.sourceIndex)
    }
    survey.endEpisode()
    onProgress?.({ phase: 'episodes', done: position + 1, total: dataset.episodeCount })
  }
  // What is stated of all the source's episodes says nothing against those that are left of them.
  const isWhole = [...dataset.findings, ...findings.list].every(({ severity }) => severity !== 'error')
  if (comparesStated && isWhole) reportStale(await dataset.findStatedStatistics?.(), whole.moments, findings, null)
  const getEpisode = (position: number) => dataset.getEpisode(positions[position] as number)
  return { usable: { ...dataset, episodeCount: positions.length, frameCount, getEpisode }, survey, findings }
}
