import { FormatError } from '../errors.ts'
import { isCamera } from '../feature.ts'
import type { FileTree } from '../file-tree.ts'
import { Findings } from '../finding.ts'
import { openDataset } from '../layouts/index.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import type { CommandFlags } from './flags.ts'
import type { ProgressBar } from './progress-bar.ts'
import { countSeverity, formatCount, formatFindings } from './text.ts'

/** Reads every number of every episode and opens every camera; exit code 1 when something had to be left out. */
export async function check(
  tree: FileTree,
  options: OpenOptions,
  flags: CommandFlags,
  bar: ProgressBar,
): Promise<number> {
  await using dataset = await openDataset(tree, options)
  const found = new Findings()
  const cameras = dataset.features.filter(isCamera)
  for (let position = 0; position < dataset.episodeCount; position++) {
    const episode = dataset.getEpisode(position)
    try {
      let rows = 0
      for await (const block of episode.readBlocks(options.signal ? { signal: options.signal } : {}))
        rows += block.frameCount
      if (rows !== episode.length)
        throw new FormatError('episode_unreadable', `it has ${rows} rows instead of ${episode.length}.`)
      for (const { name } of cameras) await episode.openCamera(name)
    } catch (error) {
      if (!(error instanceof FormatError) || options.signal?.aborted) throw error
      found.add('episode-file-unreadable', `Episode ${episode.sourceIndex}: ${error.message}`, episode.sourceIndex)
    }
    options.onProgress?.({ phase: 'episodes', done: position + 1, total: dataset.episodeCount })
  }
  bar.clear()
  const findings = [...dataset.findings, ...found.list]
  const errors = countSeverity(findings, 'error')
  if (flags.json)
    console.log(
      JSON.stringify(
        { ok: errors === 0, episodes: dataset.episodeCount, frames: dataset.frameCount, findings },
        null,
        2,
      ),
    )
  else {
    console.log(formatFindings(findings))
    console.log(
      `${formatCount(dataset.episodeCount, 'episode')} and ${formatCount(dataset.frameCount, 'frame')} are usable; ${formatCount(errors, 'error')}, ${formatCount(countSeverity(findings, 'warning'), 'warning')}.`,
    )
  }
  return errors === 0 ? 0 : 1
}
