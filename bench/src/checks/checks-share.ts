/**
 * `checks-share.ts import|plain|watched FOLDER`: imports FOLDER/source into FOLDER/made, or builds the read model of what was made there
 * again, without the rules of numbers or with them; prints the processor seconds that it took.
 */
import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { checkNumbers, type NumbersOutcome, startNumbers } from '../../../server/src/checks/import-numbers.ts'
import { buildReadModel } from '../../../server/src/datasets/read-model/build.ts'
import { prepareRevision } from '../../../server/src/imports/prepare/prepare.ts'
import { measureTreeSeconds } from '../process-tree.ts'

const [part, folder = ''] = process.argv.slice(2)
const signal = new AbortController().signal
const gigabyte = 1e9
const none = (): void => {}

async function importSource(): Promise<NumbersOutcome> {
  await mkdir(join(folder, 'made'))
  const { checks } = await prepareRevision(
    {
      topFolder: join(folder, 'source'),
      targetFolder: join(folder, 'made'),
      options: {},
      maxHdf5Bytes: gigabyte,
      maxUnpackedBytes: gigabyte,
      cutOffs: {},
    },
    { signal, onPhase: none, onProgress: none, onUnpacking: none, onReading: none, onLearned: none },
  )
  return checks
}

async function buildAgain(isWatched: boolean): Promise<NumbersOutcome> {
  const datasetFolder = join(folder, 'made', 'dataset')
  const targetFolder = await mkdtemp(join(folder, 'again-'))
  await using dataset = await openDataset(await openFolder(datasetFolder))
  const beside = startNumbers({}, signal)
  const { motionScale: scale } = await buildReadModel({
    ...{ datasetFolder, targetFolder, signal },
    watcher: isWatched ? beside : undefined,
  })
  if (!isWatched) return { state: 'succeeded', message: '' }
  const path = join(targetFolder, 'checks.json')
  return await checkNumbers({ beside, dataset, folder: datasetFolder, path, cutOffs: {}, scale, signal })
}

const began = measureTreeSeconds(process.pid)
const { state, message } = part === 'import' ? await importSource() : await buildAgain(part === 'watched')
const seconds = measureTreeSeconds(process.pid) - began
if (state !== 'succeeded') throw new Error(message)
await using dataset = await openDataset(await openFolder(join(folder, 'made', 'dataset')))
const counts = `${dataset.episodeCount} episodes, ${dataset.frameCount} frames`
process.stdout.write(JSON.stringify({ seconds, counts }))
