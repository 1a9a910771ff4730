import type { FileTree } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import { getWriter } from '../writers/index.ts'
import type { LeRobotV3Options } from '../writers/lerobot-v3/writer.ts'
import { readTargetOptions } from '../writers/target-options.ts'
import type { CommandFlags } from './flags.ts'
import type { ProgressBar } from './progress-bar.ts'
import { formatBytes, formatCount, formatDuration, formatFindings } from './text.ts'

/** Opens, writes, and says what became of it. Bad episodes are left out and named; the exit code is 1 only when none is good. */
export async function convert(
  tree: FileTree,
  folder: string,
  options: OpenOptions,
  flags: CommandFlags,
  bar: ProgressBar,
): Promise<number> {
  const writer = getWriter(flags.to)
  const settings = readTargetOptions(writer, flags.settings)
  const startedAt = performance.now()
  await using dataset = await openDataset(tree, options)
  const { signal, onProgress } = options
  const writing: LeRobotV3Options = {
    videoCodec: flags.videoCodec,
    settings,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  }
  const report = await writer.write(dataset, folder, writing)
  bar.clear()
  if (flags.json) {
    const { episodeCount: episodes, frameCount: frames, files, findings, losses } = report
    console.log(JSON.stringify({ folder, episodes, frames, files, findings, losses }, null, 2))
  } else {
    const bytes = report.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    console.log(formatFindings(report.findings))
    for (const { feature, reason } of report.losses) console.log(`not held: ${feature}. ${reason}`)
    console.log(
      `${folder}: ${formatCount(report.episodeCount, 'episode')}, ${formatCount(report.frameCount, 'frame')}, ${formatCount(report.files.length, 'file')}, ${formatBytes(bytes)}, in ${formatDuration((performance.now() - startedAt) / 1000)}.`,
    )
  }
  return 0
}
