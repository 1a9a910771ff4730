import { text as readText } from 'node:stream/consumers'
import type { CreateImport, WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { type LocalFile, listLocalFiles, uploadPaths } from '@nmp/sdk/node-files'
import type { FinishedUpload } from '@nmp/sdk/upload'
import type { Command, Invocation, Option } from '../command.ts'
import { usageError } from '../failures.ts'
import { hintOptions, readHints } from '../import-hints.ts'
import { finishImport } from '../import-view.ts'
import type { Session } from '../session.ts'
import { openUploadMemory } from '../upload-memory.ts'

const targetOptions: Record<string, Option> = {
  slug: {
    type: 'string',
    value: 'SLUG',
    about: 'name of the dataset, by default taken from the source; an existing dataset gets a new revision',
  },
  title: { type: 'string', value: 'TEXT', about: 'title of the dataset' },
  ...hintOptions,
  'idempotency-key': { type: 'string', value: 'KEY', about: 'a repeated key returns the same import' },
  'no-wait': { type: 'boolean', about: 'return at once instead of waiting' },
}

const kindOption: Record<string, Option> = {
  kind: { type: 'string', value: 'lerobot|hdf5', about: 'what kind of source it is; default: by its file name' },
}

const fromHub: Command = {
  name: ['import', 'hf'],
  words: ['OWNER/NAME'],
  about: 'Import a dataset from Hugging Face.',
  examples: ['nmp import hf lerobot/pusht', 'nmp import hf lab/private --revision v2.0 --hf-token - < hf-token.txt'],
  options: {
    ...targetOptions,
    revision: { type: 'string', value: 'REV', about: 'branch, tag or commit' },
    'hf-token': {
      type: 'string',
      value: 'TOKEN|-',
      about: 'for private and gated repositories; - reads standard input',
    },
  },
  async run(session, invocation) {
    const repo = invocation.words[0] ?? ''
    const given = invocation.text('hf-token')
    const token = given === '-' ? (await readText(session.stdin)).trim() : given
    await runImport(session, invocation, {
      source_kind: 'huggingface',
      hf_repo_id: repo,
      hf_revision: invocation.text('revision'),
      hf_token: token,
      ...readTarget(invocation, repo.split('/').at(-1) ?? repo),
    })
  },
}

const fromUrl: Command = {
  name: ['import', 'url'],
  words: ['URL'],
  about: 'Import a file or archive that the service fetches itself.',
  examples: ['nmp import url https://example.org/lift.hdf5 --slug lift'],
  options: { ...targetOptions, ...kindOption },
  async run(session, invocation) {
    const url = invocation.words[0] ?? ''
    const name = url.split(/[?#]/)[0]?.split('/').at(-1) ?? url
    await runImport(session, invocation, {
      source_kind: readKind(invocation, [name]),
      source_uri: url,
      ...readTarget(invocation, name),
    })
  },
}

const fromFile: Command = {
  name: ['import', 'file'],
  words: ['PATH…'],
  about: 'Upload files or a folder and import them; run it again to resume.',
  examples: [
    'nmp import file ./my-dataset',
    'nmp import file demo_0.hdf5 demo_1.hdf5 --slug lift --fps 20 --task "lift the cube"',
  ],
  options: {
    ...targetOptions,
    ...kindOption,
    parallel: { type: 'string', value: 'N', about: 'parallel files; default 4' },
  },
  async run(session, invocation) {
    const files = await listLocalFiles(invocation.words)
    checkFiles(files)
    const kind = readKind(
      invocation,
      files.map(({ name }) => name),
    )
    const target = readTarget(invocation, invocation.words[0]?.replace(/\/+$/, '').split('/').at(-1) ?? 'dataset')
    const memory = await openUploadMemory(session.environment.stateFolder)
    const uploads = await sendFiles(session, invocation, memory)
    const job = await createImport(session, { source_kind: kind, upload_ids: uploads.map(({ id }) => id), ...target })
    for (const { memoryKey } of uploads) if (memoryKey) await memory.delete(memoryKey)
    await finishImport(session, invocation.flag('no-wait'), job)
  },
}

async function sendFiles(
  session: Session,
  { words, whole }: Invocation,
  memory: Awaited<ReturnType<typeof openUploadMemory>>,
): Promise<FinishedUpload[]> {
  const [client, place] = [await session.getClient(), await session.getPlace()]
  const progress = session.startProgress('Uploading', 'bytes')
  try {
    return await uploadPaths(client.transport, words, {
      orgSlug: place.org_slug,
      projectSlug: place.project_slug,
      parallel: whole('parallel'),
      memory,
      signal: session.signal,
      onProgress: (done, total) => progress.update(done, total),
    })
  } finally {
    progress.end()
  }
}

async function runImport(session: Session, invocation: Invocation, body: CreateImport): Promise<void> {
  await finishImport(session, invocation.flag('no-wait'), await createImport(session, body))
}

async function createImport(session: Session, body: CreateImport): Promise<ImportJob> {
  const client = await session.getClient()
  const { item } = await client.imports.createImport(
    { ...(await session.getPlace()), body },
    { signal: session.signal },
  )
  return item
}

function readTarget(
  given: Invocation,
  source: string,
): Pick<CreateImport, 'dataset_slug' | 'title' | 'idempotency_key' | 'options'> {
  const { text } = given
  return {
    dataset_slug: text('slug') ?? makeSlug(source),
    title: text('title'),
    idempotency_key: text('idempotency-key'),
    options: readHints(given),
  }
}

const archives = /\.(tar|tar\.gz|tgz|zip)$/i
const hdf5 = /\.(h5|hdf5|hdf)$/i

function readKind({ text }: Invocation, names: string[]): 'lerobot' | 'hdf5' {
  const given = text('kind')
  if (given === 'lerobot' || given === 'hdf5') return given
  if (given !== undefined) throw usageError(`--kind is lerobot or hdf5, not ${given}.`)
  if (names.some((name) => hdf5.test(name))) return 'hdf5'
  if (names.some((name) => name.endsWith('meta/info.json') || archives.test(name))) return 'lerobot'
  throw usageError(
    'This is not an HDF5 file, a LeRobot folder (with meta/info.json) or an archive. If it is one, say which with --kind.',
  )
}

function checkFiles(files: LocalFile[]): void {
  if (files.length === 0) throw usageError('There are no files at the path you gave.')
  const twice = files.find(({ name }, index) => files[index + 1]?.name === name)
  if (twice) throw usageError(`Two files would both be called ${twice.name}. Import the folder that contains them.`)
}

const makeSlug = (source: string): string =>
  source
    .replace(archives, '')
    .replace(hdf5, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replaceAll(/^-+|-+$/g, '') || 'dataset'

export const importCommands = [fromHub, fromFile, fromUrl]
