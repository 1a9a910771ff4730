import { join } from 'node:path'
import { FormatError } from '../errors.ts'
import type { FileTree } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import { getWriter } from '../writers/index.ts'
import type { LeRobotV3Options } from '../writers/lerobot-v3/writer.ts'
import { readTargetOptions } from '../writers/target-options.ts'
import { type TargetWish, writeSeveral } from '../writers/write-several.ts'
import type { WriteReport } from '../writers/writer.ts'
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
  const wishes = listWishes(folder, flags)
  const startedAt = performance.now()
  await using dataset = await openDataset(tree, options)
  const { signal, onProgress } = options
  const writing: LeRobotV3Options = {
    videoCodec: flags.videoCodec,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  }
  const [first, ...others] = wishes
  const reports =
    others.length > 0
      ? await writeSeveral(dataset, wishes, writing)
      : [await first.writer.write(dataset, folder, { ...writing, settings: first.settings } as LeRobotV3Options)]
  bar.clear()
  const described = reports.map((report, at) => ({ ...report, folder: wishes[at]?.folder ?? folder }))
  if (flags.json) {
    const documents = described.map(({ episodeCount: episodes, frameCount: frames, ...report }) => {
      const { folder: own, files, findings, losses } = report
      return { folder: own, episodes, frames, files, findings, losses }
    })
    console.log(JSON.stringify(documents.length > 1 ? documents : documents[0], null, 2))
    return 0
  }
  for (const report of described) printReport(report, (performance.now() - startedAt) / 1000)
  return 0
}

function printReport(report: WriteReport & { readonly folder: string }, seconds: number): void {
  const bytes = report.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  console.log(formatFindings(report.findings))
  for (const { feature, reason } of report.losses) console.log(`not held: ${feature}. ${reason}`)
  console.log(
    `${report.folder}: ${formatCount(report.episodeCount, 'episode')}, ${formatCount(report.frameCount, 'frame')}, ${formatCount(report.files.length, 'file')}, ${formatBytes(bytes)}, in ${formatDuration(seconds)}.`,
  )
}

/** Of several targets each has a folder of its name, and options with its name before them. */
function listWishes(folder: string, { to, settings }: CommandFlags): [TargetWish, ...TargetWish[]] {
  const wish = (name: string): TargetWish => {
    const writer = getWriter(name)
    if (to.length === 1) return { writer, folder, settings: readTargetOptions(writer, settings) }
    const own = Object.entries(settings).filter(([key]) => key.startsWith(`${name}.`))
    const given = Object.fromEntries(own.map(([key, value]) => [key.slice(name.length + 1), value]))
    return { writer, folder: join(folder, name), settings: readTargetOptions(writer, given) }
  }
  const stray = Object.keys(settings).find((key) => to.length > 1 && !to.some((name) => key.startsWith(`${name}.`)))
  if (stray !== undefined)
    throw new FormatError('unsupported', `--set ${stray} must say which target it is of, e.g. ${to[0]}.${stray}.`)
  return to.map(wish) as [TargetWish, ...TargetWish[]]
}
