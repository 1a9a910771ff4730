import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { JsonObject } from '../../../formats/src/json.ts'
import { nameCheck, runChecks, writeTarget } from './target-check.ts'
import { writeSources } from './target-sources.ts'

/** Code that people train with and no registry has: it is found in a folder of repositories, and nothing of it is changed or kept. */
interface OwnReader {
  /** The repository whose code reads, and the others that it takes; its folder has its name. */
  readonly name: string
  readonly others?: readonly string[]
  /** Folders that are imported from. */
  readonly path: readonly string[]
  readonly environment: string
  readonly targets: readonly { key: string; settings?: JsonObject }[]
  /** Written too, for it to read them beside these. */
  readonly needs?: string
}

const zarrs: OwnReader['targets'] = [
  { key: 'zarr' },
  { key: 'zarr', settings: { container: 'folder', pictures: 'jpegxl' } },
  { key: 'zarr', settings: { container: 'folder', compression: 'none', frames_per_chunk: 8 } },
]
const readers: readonly OwnReader[] = [
  {
    ...{ name: 'lerobot', path: ['lerobot'], environment: 'openpi' },
    targets: [{ key: 'lerobot-v2.1' }, { key: 'lerobot-v2.1', settings: { video: 'h264' } }],
  },
  {
    ...{ name: 'openpi', others: ['lerobot'], environment: 'openpi', needs: 'lerobot-v2.1' },
    path: ['openpi/src', 'openpi/packages/openpi-client/src', 'openpi/scripts', 'lerobot'],
    targets: [
      { key: 'openpi-norm-stats' },
      { key: 'openpi-norm-stats', settings: { horizon: 16, delta_mask: [true, false, true] } },
    ],
  },
  { name: 'Isaac-GR00T', path: ['Isaac-GR00T'], environment: 'gr00t', targets: [{ key: 'gr00t' }] },
  { name: 'diffusion_policy', path: ['diffusion_policy'], environment: 'replay-buffer', targets: zarrs },
  {
    ...{ name: 'universal_manipulation_interface', path: ['universal_manipulation_interface'] },
    ...{ environment: 'replay-buffer', targets: zarrs },
  },
]

const [python = '', folder = '', only = ''] = process.argv.slice(2)
const work = await mkdtemp(join(tmpdir(), 'nmp-readers-'))
try {
  const sources = await writeSources(work)
  const written = new Map<string, Promise<string>>()
  for (const reader of readers) {
    const targets = reader.targets.filter(({ key }) => only === '' || key === only)
    if (targets.length === 0) continue
    const missing = findMissing(reader)
    if (missing) {
      console.log(`not tried ${reader.name}: ${missing}`)
      continue
    }
    console.log(`reader ${reader.name}: ${await findCommits(reader)}`)
    const words: string[] = []
    for (const source of sources) {
      const make = (key: string, settings: JsonObject) => {
        const name = `${source.name} ${key} ${JSON.stringify(settings)}`
        const made = written.get(name) ?? writeTarget(work, source, key, settings)
        written.set(name, made)
        return made
      }
      if (reader.needs) await make(reader.needs, {})
      for (const { key, settings = {} } of targets)
        words.push(...nameCheck(`${key}@${reader.name}`, settings, source, await make(key, settings)))
    }
    const passed = await runChecks(join(python, reader.environment, 'bin/python'), words, {
      PYTHONPATH: reader.path.map((part) => join(folder, part)).join(':'),
      // torchcodec finds the FFmpeg of PyAV there.
      LD_LIBRARY_PATH: join(python, 'ffmpeg'),
      HF_HOME: join(work, 'hf'),
      HF_LEROBOT_HOME: join(work, 'lerobot'),
      JAX_PLATFORMS: 'cpu',
    })
    if (!passed) process.exitCode = 1
  }
} finally {
  await rm(work, { recursive: true, force: true })
}

function findMissing({ name, others = [], environment }: OwnReader): string | undefined {
  const repository = [name, ...others].find((one) => !existsSync(join(folder, one)))
  if (repository) return `NMP_TARGET_READERS has no ${repository}.`
  if (!existsSync(join(python, environment, 'complete')))
    return `.ci/install-python did not bring its environment ${environment}; it does where NMP_TARGET_READERS is set.`
}

async function findCommits({ name, others = [] }: OwnReader): Promise<string> {
  const commits: string[] = []
  for (const one of [name, ...others]) {
    const words = ['-C', join(folder, one), 'rev-parse', '--short=7', 'HEAD']
    const { stdout } = await promisify(execFile)('git', words).catch(() => ({ stdout: 'of no commit' }))
    commits.push(`${one} ${stdout.trim()}`)
  }
  return commits.join(', ')
}
