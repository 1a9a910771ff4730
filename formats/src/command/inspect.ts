import type { Dataset } from '../dataset.ts'
import { type Feature, isCamera, labelDimensions } from '../feature.ts'
import type { FileTree } from '../file-tree.ts'
import { inspectHdf5Tree } from '../inspect/hdf5-summary.ts'
import { openDataset } from '../layouts/index.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import type { CommandFlags } from './flags.ts'
import { formatHdf5Tree } from './hdf5-tree.ts'
import type { ProgressBar } from './progress-bar.ts'
import { formatCount, formatDuration, formatFindings, formatTable } from './text.ts'

const listedTasks = 10

/** Prints what a dataset holds; reads metadata and bookkeeping, no pictures. */
export async function inspect(
  tree: FileTree,
  options: OpenOptions,
  flags: CommandFlags,
  bar: ProgressBar,
): Promise<number> {
  await using dataset = await openDataset(tree, options)
  bar.clear()
  const isHdf5 = dataset.origin.version === 'hdf5'
  if (flags.json) {
    const hdf5 = isHdf5 ? { hdf5: await inspectHdf5Tree(tree, options) } : {}
    console.log(JSON.stringify({ ...describeDataset(dataset), ...hdf5 }, null, 2))
    return 0
  }
  console.log(formatDataset(dataset))
  if (isHdf5) console.log(`\n${await formatHdf5Tree(tree, options)}`)
  return 0
}

function describeDataset(dataset: Dataset) {
  return {
    layout: dataset.origin.layout,
    version: dataset.origin.version,
    details: dataset.origin.details,
    robot_type: dataset.robotType,
    fps: dataset.fps,
    episodes: dataset.episodeCount,
    frames: dataset.frameCount,
    seconds: dataset.frameCount / dataset.fps,
    features: dataset.features.map(describeFeature),
    tasks: countTasks(dataset),
    findings: dataset.findings,
  }
}

function describeFeature(feature: Feature) {
  const { name } = feature
  if (!isCamera(feature)) return { name, dtype: feature.dtype, shape: feature.shape, labels: labelDimensions(feature) }
  const { storage, width, height, channels, depth } = feature
  return { name, dtype: storage, shape: [height, width, channels], is_depth: depth !== undefined }
}

/** Episodes per task, the most frequent first. */
function countTasks(dataset: Dataset): { task: string; episodes: number }[] {
  const counts = new Map<string, number>()
  for (let position = 0; position < dataset.episodeCount; position++) {
    for (const task of dataset.getEpisode(position).tasks) counts.set(task, (counts.get(task) ?? 0) + 1)
  }
  return [...counts].map(([task, episodes]) => ({ task, episodes })).sort((a, b) => b.episodes - a.episodes)
}

function formatDataset(dataset: Dataset): string {
  const { origin, robotType, fps, episodeCount, frameCount } = dataset
  const tasks = countTasks(dataset)
  const rows = dataset.features.map((feature) => {
    const { name, dtype, shape } = describeFeature(feature)
    return [name, dtype, shape.join(' x '), isCamera(feature) ? '' : formatLabels(labelDimensions(feature))]
  })
  const shown = tasks
    .slice(0, listedTasks)
    .map(({ task, episodes }) => [String(episodes), task === '' ? '(no task)' : task])
  return [
    `${origin.layout}, version ${origin.version}${robotType ? `, robot ${robotType}` : ''}`,
    `${formatCount(episodeCount, 'episode')}, ${formatCount(frameCount, 'frame')} at ${fps} per second, ${formatDuration(frameCount / fps)}`,
    '',
    formatTable(rows),
    '',
    `${tasks.length} task${tasks.length === 1 ? '' : 's'}`,
    formatTable(shown),
    '',
    formatFindings(dataset.findings),
  ].join('\n')
}

function formatLabels(labels: readonly string[]): string {
  const text = labels.join(' ')
  if (labels.every((label, index) => label === String(index))) return ''
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
