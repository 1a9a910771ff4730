import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openFolder } from '../../../formats/src/file-tree.ts'
import type { JsonObject } from '../../../formats/src/json.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { getWriter } from '../../../formats/src/writers/index.ts'
import { readTargetOptions } from '../../../formats/src/writers/target-options.ts'
import { type TargetSource, writeSources } from './target-sources.ts'

/** Every target with the options that change most, from every kind of source, each read by the tool of its readers. */
const targets: readonly { key: string; settings?: JsonObject; environment: string }[] = [
  { key: 'openpi-norm-stats', environment: 'targets' },
  { key: 'openpi-norm-stats', settings: { horizon: 16, delta_mask: [true, false, true] }, environment: 'targets' },
  { key: 'rlds', environment: 'targets' },
  { key: 'rlds', settings: { images: 'png', shard_mb: 1, name: 'small_shards' }, environment: 'targets' },
  { key: 'mcap', environment: 'targets' },
  { key: 'mcap', settings: { video: 'h264', compression: 'zstd' }, environment: 'targets' },
  { key: 'lerobot-v2.1', environment: 'lerobot-0.3.3' },
  { key: 'gr00t', environment: 'lerobot-0.3.3' },
  { key: 'zarr', environment: 'targets' },
  { key: 'zarr', settings: { container: 'folder', pictures: 'jpegxl' }, environment: 'targets' },
  {
    key: 'zarr',
    settings: { container: 'folder', compression: 'none', frames_per_chunk: 8 },
    environment: 'targets',
  },
  { key: 'robomimic', environment: 'lerobot-0.3.3' },
  {
    key: 'robomimic',
    settings: { next_obs: false, compression: 'gzip', valid_percent: 25 },
    environment: 'lerobot-0.3.3',
  },
  { key: 'lerobot-v2.1', settings: { video: 'h264' }, environment: 'lerobot-0.3.3' },
]

const [python = '', only = ''] = process.argv.slice(2)
const script = join(import.meta.dirname, '../../../formats/test/python/targets_check.py')
const work = await mkdtemp(join(tmpdir(), 'nmp-targets-'))
try {
  const sources = await writeSources(work)
  const wanted = targets.filter(({ key }) => only === '' || key === only)
  const environments = new Set(wanted.map(({ environment }) => environment))
  for (const environment of environments) {
    const words: string[] = []
    for (const target of wanted.filter((one) => one.environment === environment))
      for (const source of sources) words.push(...(await writeTarget(source, target)))
    if (!(await check(join(python, environment, 'bin/python'), words))) process.exitCode = 1
  }
} finally {
  await rm(work, { recursive: true, force: true })
}

async function writeTarget({ name, folder }: TargetSource, { key, settings = {} }: (typeof targets)[number]) {
  const writer = getWriter(key)
  const target = join(work, name, `${key}-${Object.keys(settings).length}`)
  await using dataset = await openDataset(await openFolder(folder))
  await writer.write(dataset, target, { settings: readTargetOptions(writer, settings) })
  return [key, JSON.stringify(settings), folder, target]
}

async function check(interpreter: string, words: readonly string[]): Promise<boolean> {
  const beside = join(python, 'robomimic')
  const env = { ...process.env, PYTHONPATH: beside, HF_HOME: join(work, 'hf') }
  const options = { env, maxBuffer: 64 * 1024 * 1024 }
  const run = promisify(execFile)(interpreter, [script, ...words], options)
  const { stdout, stderr, code } = await run.then(
    (said) => ({ ...said, code: 0 }),
    (failure: { stdout: string; stderr: string; code: number }) => failure,
  )
  process.stdout.write(stdout)
  if (code !== 0) process.stderr.write(stderr.slice(-20_000))
  return code === 0
}
