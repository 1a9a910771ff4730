import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdAgainstLeRobot } from './export-check.ts'
import { planMatrix } from './export-matrix.ts'
import { openExportSetup } from './export-setup.ts'
import { exportCalmly } from './exporting.ts'

/** What CI looks at each time: each kind of source with what is most easily broken on it. The rest is the campaign's. */
const slice: Readonly<Record<string, readonly string[]>> = {
  'v2.1': ['excluded', 'everything', 'trim'],
  'v3.0': ['annotations', 'fit', 'everything', 'trim', 'pieces', 'split', 'slower', 'nearest'],
  'v3.0-many-files': ['cameras', 'mean', 'pieces', 'nearest'],
  'v3.0-images': ['fill', 'split'],
  aloha: ['stretch', 'clip'],
  depth: ['crop', 'trim'],
}

const setup = await openExportSetup()
const folder = await mkdtemp(join(tmpdir(), 'nmp-export-slice-'))
try {
  const cases = await planMatrix(setup, Object.keys(slice))
  const wanted = cases.filter(({ name, source }) =>
    ['whole', ...(slice[source.name] ?? [])].includes(name.split('/')[1] ?? ''),
  )
  const made = await exportCalmly(setup, wanted)
  const { failed, checked, streamed, trained, edited, note } = await holdAgainstLeRobot(setup, made, folder)
  for (const sentence of failed) console.log(sentence)
  console.log(
    note ?? `${checked} exports looked at, ${streamed} streamed, ${trained.length} trained on, ${edited.length} edited`,
  )
  const isWhole = checked === made.length && trained.length > 0 && edited.length > 0
  process.exitCode = failed.length === 0 && isWhole ? 0 : 1
} finally {
  await setup.close()
  await rm(folder, { recursive: true, force: true })
}
