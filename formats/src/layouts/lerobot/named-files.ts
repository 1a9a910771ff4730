import { openParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import { isCamera } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import { Findings } from '../../finding.ts'
import { fillTemplate, type LeRobotInfo, readInfo } from './info.ts'
import { readEpisodeLines } from './v2-lines.ts'

const v3DataPath = 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet'
const v3VideoPath = 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4'
const v2DataPath = 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet'
const v2VideoPath = 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4'

/** The data and video files that meta/ of a LeRobot dataset tells of; needs nothing but meta/. A name may come more than once. */
export async function* listNamedFiles(tree: FileTree): AsyncGenerator<string> {
  const info = await readInfo(tree, new Findings())
  const videoKeys = info.features
    .filter(({ feature }) => isCamera(feature) && feature.storage === 'video')
    .map(({ sourceName }) => sourceName)
  if (info.version.startsWith('v3.')) yield* listOfTable(tree, info, videoKeys)
  else yield* listOfLines(tree, info, videoKeys)
}

async function* listOfTable(tree: FileTree, info: LeRobotInfo, videoKeys: readonly string[]): AsyncGenerator<string> {
  const tables = (await tree.list('meta/episodes')).filter(({ path }) => path.endsWith('.parquet'))
  if (tables.length === 0) throw new FormatError('metadata_invalid', 'meta/episodes has no Parquet file.')
  const places = [
    { prefix: 'data', template: info.dataPath || v3DataPath, key: '' },
    ...videoKeys.map((key) => ({ prefix: `videos/${key}`, template: info.videoPath || v3VideoPath, key })),
  ]
  const columns = places.flatMap(({ prefix }) => [`${prefix}/chunk_index`, `${prefix}/file_index`])
  await using reader = await openParquetReader(tree.root)
  for (const { path } of tables) {
    const last = new Map<string, string>()
    for await (const record of reader.readRecords(await tree.locate(path), columns)) {
      for (const { prefix, template, key } of places) {
        const [chunk, file] = [record[`${prefix}/chunk_index`], record[`${prefix}/file_index`]]
        if (chunk === undefined || chunk === null || file === undefined || file === null) continue
        const name = fillTemplate(template, { chunk_index: Number(chunk), file_index: Number(file), video_key: key })
        // Episodes that follow each other share a file.
        if (last.get(prefix) !== name) yield name
        last.set(prefix, name)
      }
    }
  }
}

async function* listOfLines(tree: FileTree, info: LeRobotInfo, videoKeys: readonly string[]): AsyncGenerator<string> {
  for (const episode of (await readEpisodeLines(tree, info, new Findings())).keys()) {
    const values = { episode_chunk: Math.floor(episode / info.chunksSize), episode_index: episode, video_key: '' }
    yield fillTemplate(info.dataPath || v2DataPath, values)
    for (const key of videoKeys) yield fillTemplate(info.videoPath || v2VideoPath, { ...values, video_key: key })
  }
}
