import { benchCatalog } from './catalog/catalog.ts'
import { benchChecks } from './checks/checks.ts'
import { benchCommand } from './command.ts'
import { benchConsole } from './console/console.ts'
import { benchExportMemory } from './exports/export-memory.ts'
import { benchExports } from './exports/exports.ts'
import { benchFormats } from './formats/formats.ts'
import { benchHdf5 } from './formats/hdf5.ts'
import { benchMedia } from './formats/media.ts'
import { benchParquet } from './formats/parquet.ts'
import { benchHttp } from './http/http.ts'
import { benchHub } from './hub/hub.ts'
import { benchHubMemory } from './hub/hub-memory.ts'
import { benchImportMemory } from './imports/import-memory.ts'
import { benchImports } from './imports/imports.ts'
import { benchJobs } from './jobs.ts'
import { benchDiff } from './merge/diff.ts'
import { benchMerge } from './merge/merge.ts'
import { benchRecipesTime } from './recipes-time.ts'
import { keepBench, readLoad } from './results.ts'
import { type BenchRow, judgeRow } from './row.ts'
import { benchSandbox } from './sandbox/sandbox.ts'
import { benchStart } from './start.ts'
import { benchStorage } from './storage/storage.ts'
import { benchUploads } from './storage/uploads.ts'
import { benchTargets } from './targets/targets.ts'
import { benchTraining } from './training/training.ts'

/**
 * `npm run bench [-- NAME …]`: each row compares us with a peer or a physical limit in one run on one machine.
 * With --keep the rows are written to `results/bench-DATE.json`, which `npm run gen` draws into docs/performance.md.
 */
const benches: Record<string, () => Promise<BenchRow[]>> = {
  start: benchStart,
  http: benchHttp,
  storage: benchStorage,
  uploads: benchUploads,
  jobs: benchJobs,
  formats: benchFormats,
  parquet: benchParquet,
  sandbox: benchSandbox,
  hdf5: benchHdf5,
  catalog: benchCatalog,
  media: benchMedia,
  imports: benchImports,
  'import-memory': benchImportMemory,
  exports: benchExports,
  'export-memory': benchExportMemory,
  targets: benchTargets,
  training: benchTraining,
  'recipes-time': benchRecipesTime,
  diff: benchDiff,
  merge: benchMerge,
  checks: benchChecks,
  command: benchCommand,
  console: benchConsole,
  hub: benchHub,
  'hub-memory': benchHubMemory,
}

const words = process.argv.slice(2)
const isKept = words.includes('--keep')
const asked = words.filter((word) => word !== '--keep')
const unknown = asked.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

const today = new Date().toISOString().slice(0, 10)

async function runBench(name: string, bench: () => Promise<BenchRow[]>): Promise<void> {
  console.log(`\n${name}`)
  const loadBefore = readLoad()
  const rows = await bench()
  for (const row of rows) {
    console.log(
      `  ${row.name}\n    ours ${row.ours}; peer ${row.peer}; ratio ${row.ratio.toFixed(2)}; goal ${row.goal}: ${judgeRow(row)}`,
    )
    if (row.note) console.log(`    ${row.note}`)
  }
  if (isKept) keepBench(today, name, { loadBefore, rows })
}

for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  // One that cannot be run here takes none of the others with it.
  await runBench(name, bench).catch((error: unknown) => {
    console.error(error)
    process.exitCode = 1
  })
}
