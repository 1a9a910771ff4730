import { openParquetReader, type ParquetReader } from '../../containers/parquet/parquet.ts'
import { createdBy } from '../../containers/parquet/writer.ts'
import type { Dataset, IntactData, IntactFile } from '../../dataset.ts'
import { FormatError, maxFound, NoEpisodesError } from '../../errors.ts'
import { isCamera } from '../../feature.ts'
import type { FileEntry, FileTree } from '../../file-tree.ts'
import { Findings } from '../../finding.ts'
import type { OpenOptions } from '../layout.ts'
import { findMisfit, fitsExactly, matchColumns } from './columns.ts'
import { createLeRobotDataset } from './dataset.ts'
import { EpisodeDirectory } from './episode-directory.ts'
import { findVersion, type LeRobotInfo, readInfo, type SourceFeature } from './info.ts'
import { ClockErrors, clockToleranceSeconds, type RowRun, reportStats, reportTotals, surveyRows } from './rows.ts'
import { readSplits, reportSplits } from './splits.ts'
import { readEpisodeTable, readSubtasks, readTaskTable } from './v3-table.ts'
import { type CameraPlan, planCamera, type TableEpisode } from './v3-videos.ts'

/** LeRobot v3.0: many episodes per data and video file, an episode table in Parquet. */

const videoPathTemplate = 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4'
const exactToleranceSeconds = 2e-5

export async function detect(tree: FileTree): Promise<boolean> {
  return (await findVersion(tree))?.startsWith('v3.') ?? false
}

export async function open(tree: FileTree, options: OpenOptions): Promise<Dataset> {
  const reader = await openParquetReader(tree.root)
  try {
    return await openWith(reader, tree, options)
  } catch (error) {
    await reader.close()
    throw error
  }
}

async function openWith(reader: ParquetReader, tree: FileTree, options: OpenOptions): Promise<Dataset> {
  const findings = new Findings()
  const info = await readInfo(tree, findings)
  const dataFiles = (await tree.list('data')).filter(({ path }) => path.endsWith('.parquet'))
  if (dataFiles.length === 0) throw new FormatError('metadata_invalid', 'data/ has no Parquet file.')
  if ((await tree.list('images')).length > 0)
    findings.add('leftover-images', 'images/ was left behind by the recorder; ignored.')
  await reportStats(tree, info.version, findings)

  const survey = await surveyFiles({ reader, tree, files: dataFiles }, info, findings, options)
  const tasks = await readTaskTable(tree, reader, findings)
  const subtasks = await readSubtasks(tree, reader, findings)
  const isVideo = (source: SourceFeature) => isCamera(source.feature) && source.feature.storage === 'video'
  const cameraKeys = survey.features.filter(isVideo).map(({ sourceName }) => sourceName)
  const table = await readEpisodeTable(tree, reader, cameraKeys, findings)
  const episodes = joinRows(table, survey, findings)

  const context = {
    tree,
    template: info.videoPath || videoPathTemplate,
    fps: info.fps,
    findings,
    signal: options.signal,
  }
  const plans: CameraPlan[] = []
  const features: SourceFeature[] = []
  for (const source of survey.features) {
    const columns = table.videos.get(source.sourceName)
    if (!isCamera(source.feature) || source.feature.storage === 'image' || !columns) {
      features.push(source)
      continue
    }
    const plan = await planCamera({ ...source, feature: source.feature }, columns, episodes, context)
    options.onProgress?.({ phase: 'videos', done: plans.length, total: cameraKeys.length })
    if (!plan) continue
    plans.push(plan)
    features.push({ ...source, feature: plan.camera })
  }

  const directory = new EpisodeDirectory(plans.length)
  const clock = new ClockErrors()
  for (const { sourceIndex, tableRow, length } of episodes) {
    const videos = plans.map((plan) => plan.places.get(tableRow))
    const run = survey.runs.get(sourceIndex)
    if (!run || videos.some((place) => place === undefined)) continue
    clock.add(sourceIndex, run.timestampError)
    for (const task of run.taskIndices) {
      if (!tasks.has(task) && tasks.size > 0)
        findings.add('task-unknown', `Episode ${sourceIndex} uses task ${task}, which has no text.`, sourceIndex)
    }
    directory.add({
      sourceIndex,
      length,
      file: run.file,
      startRow: run.startRow,
      tasks: run.taskIndices,
      videos: videos.filter((place) => place !== undefined),
    })
  }
  if (directory.count === 0)
    throw new NoEpisodesError(
      `No usable episode is left: ${findings.list.find(({ severity }) => severity === 'error')?.sentence ?? 'the dataset is empty.'}`,
      findings.list,
      table.episodeIndex
        .slice(0, maxFound)
        .map((number, row) => ({ sourceIndex: number, sourceId: String(number), length: table.length[row] ?? null })),
      table.count,
    )
  reportTotals(info, table.count, survey.rowCount, findings)
  const findSplits = await readSplits(tree, reader, info, findings)
  reportSplits(info, directory.sourceNumbers, findings)
  const keepsTimestamps = clock.largest > clockToleranceSeconds
  clock.report(findings)
  const isWhole =
    directory.count === table.count &&
    survey.isInOrder &&
    episodes.every(({ sourceIndex }, position) => sourceIndex === position)
  if (!isWhole && episodes.some(({ sourceIndex }, position) => sourceIndex !== position)) {
    findings.add(
      'episode-numbers-gap',
      'Episode numbers do not run 0, 1, 2, …; renumbered, the source numbers are kept in the sidecar.',
    )
  }
  if (!survey.isIndexed) findings.add('index-rebuilt', 'The index column does not count the rows from 0; rebuilt.')
  const keepsData =
    isWhole &&
    survey.isIndexed &&
    survey.fitsExactly &&
    clock.largest <= exactToleranceSeconds &&
    findings.count('fps-rounded') === 0 &&
    isTaskTableExact(tasks, findings)
  const data: IntactData | undefined = keepsData ? { files: survey.intactFiles, tasks: [...tasks.values()] } : undefined
  const videos = new Map(
    plans.flatMap(({ camera, intact }) => (isWhole && intact ? [[camera.name, intact] as const] : [])),
  )
  // Only the names of files outlive the opening, not the plans with their entry per episode.
  const videoFiles = new Map(plans.map(({ camera, files }) => [camera.name, files]))
  return createLeRobotDataset({
    tree,
    reader,
    origin: { layout: 'lerobot-v3', version: info.version, details: subtasks.length > 0 ? { subtasks } : {} },
    fps: info.fps,
    robotType: info.robotType,
    stated: info.stated,
    features,
    directory,
    tasks,
    findSplits,
    findings,
    dataPath: (file) => dataFiles[file]?.path ?? '',
    videoPath: (source, file) => videoFiles.get(source.feature.name)?.[file] ?? '',
    keepsTimestamps,
    intact: { data, videos },
    areOwnRows: survey.areOwnRows,
  })
}

interface Survey {
  readonly features: readonly SourceFeature[]
  readonly runs: ReadonlyMap<number, RowRun & { readonly file: number }>
  readonly rowCount: number
  /** Episodes stand in the files as 0, 1, 2, … */
  readonly isInOrder: boolean
  readonly isIndexed: boolean
  readonly fitsExactly: boolean
  readonly areOwnRows: boolean
  readonly intactFiles: readonly IntactFile[]
}

async function surveyFiles(
  { reader, tree, files }: { reader: ParquetReader; tree: FileTree; files: readonly FileEntry[] },
  info: LeRobotInfo,
  findings: Findings,
  { signal, onProgress }: OpenOptions,
): Promise<Survey> {
  let features: readonly SourceFeature[] | undefined
  const runs = new Map<number, RowRun & { file: number }>()
  const broken = new Set<number>()
  const intactFiles: IntactFile[] = []
  let [rowCount, next, isInOrder, isIndexed, exact, areOwnRows] = [0, 0, true, true, true, true]
  for (const [file, { path, sizeBytes }] of files.entries()) {
    const absolute = await tree.locate(path)
    let episodeCount = 0
    try {
      const footer = await reader.readFooter(absolute)
      areOwnRows &&= footer.createdBy === createdBy
      features ??= matchColumns(info.features, footer.columns, findings)
      const misfit = findMisfit(features, footer.columns)
      if (misfit) throw new FormatError('container_invalid', `${path} cannot be used: ${misfit}.`)
      if (!footer.metadata.has('huggingface'))
        findings.addOnce('metadata-parquet-foreign', 'Data files lack the huggingface metadata.')
      exact = exact && fitsExactly(features, footer.columns)
      for await (const run of surveyRows(reader, absolute, footer, info.fps, signal)) {
        if (run.episodeIndex !== next++) isInOrder = false
        if (!run.isIndexed || run.firstIndex !== rowCount) isIndexed = false
        rowCount += run.rowCount
        episodeCount++
        if (runs.has(run.episodeIndex) || !run.isOrdered) broken.add(run.episodeIndex)
        else runs.set(run.episodeIndex, { ...run, file })
      }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      findings.add('episode-file-unreadable', error.message)
      isInOrder = false
    }
    intactFiles.push({ path: absolute, sizeBytes, episodeCount })
    onProgress?.({ phase: 'rows', done: file + 1, total: files.length })
  }
  for (const episode of broken) {
    runs.delete(episode)
    findings.add(
      'episode-rows-disordered',
      `Episode ${episode} is left out: its rows do not run 0, 1, 2, … in one piece.`,
      episode,
    )
  }
  return {
    features: features ?? info.features,
    runs,
    rowCount,
    isInOrder,
    isIndexed,
    fitsExactly: exact,
    areOwnRows,
    intactFiles,
  }
}

/** The episodes of the table that have good rows, in the table's order of numbers. */
function joinRows(
  table: Awaited<ReturnType<typeof readEpisodeTable>>,
  survey: Survey,
  findings: Findings,
): TableEpisode[] {
  const episodes: TableEpisode[] = []
  const seen = new Set<number>()
  const order = table.episodeIndex
    .map((_, row) => row)
    .sort((a, b) => (table.episodeIndex[a] ?? 0) - (table.episodeIndex[b] ?? 0) || a - b)
  for (const tableRow of order) {
    const sourceIndex = table.episodeIndex[tableRow] ?? -1
    if (seen.has(sourceIndex)) {
      findings.add(
        'episode-repeated',
        `Episode ${sourceIndex} appears twice in meta/episodes; the first is used.`,
        sourceIndex,
      )
      continue
    }
    seen.add(sourceIndex)
    const run = survey.runs.get(sourceIndex)
    if (!run) {
      const isKnown = findings.list.some(
        ({ rule, episode }) => rule === 'episode-rows-disordered' && episode === sourceIndex,
      )
      if (!isKnown)
        findings.add(
          'episode-rows-missing',
          `Episode ${sourceIndex} is left out: no data file has its rows.`,
          sourceIndex,
        )
      continue
    }
    const declared = table.length[tableRow]
    if (declared !== run.rowCount)
      findings.add(
        'episode-length-differs',
        `Episode ${sourceIndex} has ${run.rowCount} rows, but meta/episodes says ${declared}.`,
        sourceIndex,
      )
    episodes.push({ sourceIndex, tableRow, length: run.rowCount })
  }
  for (const episode of survey.runs.keys()) {
    if (!seen.has(episode))
      findings.add(
        'episode-rows-nameless',
        `The data files have rows of episode ${episode}, which meta/episodes does not name; not used.`,
        episode,
      )
  }
  return episodes
}

function isTaskTableExact(tasks: ReadonlyMap<number, string>, findings: Findings): boolean {
  const isRepeated = new Set(tasks.values()).size !== tasks.size
  return tasks.size > 0 && !isRepeated && findings.count('tasks-disordered') + findings.count('task-unknown') === 0
}
