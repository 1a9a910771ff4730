import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listOperations, readContract } from './generator/contract.ts'
import { renderPythonGroup, renderPythonGroups, renderPythonRecords } from './generator/python.ts'
import { renderGroup, renderGroups, renderRecords } from './generator/typescript.ts'

/** Writes the clients' types and methods from openapi.json; with --check it only says what is out of date, and fails. */
const root = join(import.meta.dirname, '..')
const onlyCheck = process.argv.includes('--check')

const api = readContract(await readFile(join(root, 'openapi.json'), 'utf8'))
const operations = listOperations(api)
const groups = [...new Set(operations.map(({ group }) => group))].sort()

const operationsOf = (group: string) => operations.filter((one) => one.group === group)

const folders: Record<string, Record<string, string>> = {
  'sdk/src/generated': {
    'records.ts': renderRecords(api),
    'groups.ts': renderGroups(groups),
    ...Object.fromEntries(groups.map((group) => [`${group}.ts`, renderGroup(group, operationsOf(group))])),
  },
  'sdk-python/src/nmp/generated': {
    '__init__.py': '',
    'records.py': renderPythonRecords(api, operations),
    'groups.py': renderPythonGroups(groups),
    ...Object.fromEntries(groups.map((group) => [`${group}.py`, renderPythonGroup(group, operationsOf(group))])),
  },
}

for (const [folder, files] of Object.entries(folders)) {
  const path = join(root, folder)
  await mkdir(path, { recursive: true })
  const strays = (await readdir(path)).filter((name) => /\.(ts|py)$/.test(name) && !(name in files))
  for (const name of strays) await settle(join(folder, name), undefined)
  for (const [name, text] of Object.entries(files)) await settle(join(folder, name), text)
}

async function settle(name: string, wanted: string | undefined): Promise<void> {
  const path = join(root, name)
  const present = await readFile(path, 'utf8').catch(() => undefined)
  if (present === wanted) return
  if (onlyCheck) {
    process.stderr.write(`${name} is out of date. Run npm run gen and commit it.\n`)
    process.exitCode = 1
  } else if (wanted === undefined) await rm(path)
  else await writeFile(path, wanted)
}
