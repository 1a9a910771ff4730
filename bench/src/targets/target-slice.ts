import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../../formats/src/json.ts'
import { nameCheck, runChecks, writeTarget } from './target-check.ts'
import { writeSources } from './target-sources.ts'

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
const work = await mkdtemp(join(tmpdir(), 'nmp-targets-'))
try {
  const sources = await writeSources(work)
  const wanted = targets.filter(({ key }) => only === '' || key === only)
  const environments = new Set(wanted.map(({ environment }) => environment))
  for (const environment of environments) {
    const words: string[] = []
    for (const { key, settings = {} } of wanted.filter((one) => one.environment === environment))
      for (const source of sources)
        words.push(...nameCheck(key, settings, source, await writeTarget(work, source, key, settings)))
    const beside = { PYTHONPATH: join(python, 'robomimic'), HF_HOME: join(work, 'hf') }
    if (!(await runChecks(join(python, environment, 'bin/python'), words, beside))) process.exitCode = 1
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
