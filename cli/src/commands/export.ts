import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@nmp/sdk/client'
import type { ExportJob } from '@nmp/sdk/export-waiting'
import type { QueueExport } from '@nmp/sdk/generated/records'
import { type DatasetName, downloadDataset, downloadVersion } from '@nmp/sdk/node-versions'
import type { Command, Option } from '../command.ts'
import { usageError } from '../failures.ts'
import { formatBytes } from '../output.ts'
import type { Session } from '../session.ts'
import { askSettled } from '../settled-size.ts'
import { findVersion, isVersionId } from '../version-name.ts'

const fileOptions: Record<string, Option> = {
  output: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    about: 'where to write the .tar; in a folder the file is named after the dataset',
  },
  parallel: { type: 'string', value: 'N', about: 'parallel ranges; default 4' },
}

const formOptions: Record<string, Option> = {
  to: { type: 'string', value: 'KEY', about: 'the form: lerobot (default), or another that nmp targets lists' },
  set: {
    type: 'string',
    multiple: true,
    value: 'KEY=VALUE',
    about: 'an option of the form; may be given several times',
  },
}

const exportVersion: Command = {
  name: ['export'],
  words: ['VERSION'],
  about: 'Materialize a version as a LeRobot v3 dataset, or in another form; -o downloads it when it is ready.',
  examples: [
    'nmp export pick-clean --wait -o pick-clean.tar',
    'nmp export pick-clean --to openpi-norm-stats --set horizon=50 -o stats.tar',
    'nmp export pick-clean --to rlds --to zarr --set zarr.container=folder -o exports/',
  ],
  options: {
    ...fileOptions,
    wait: { type: 'boolean', about: 'wait until it is ready' },
    to: {
      type: 'string',
      multiple: true,
      value: 'KEY',
      about:
        'the form: lerobot (default), or another that nmp targets lists; given several times, what more than one decodes is decoded once',
    },
    set: {
      type: 'string',
      multiple: true,
      value: 'KEY=VALUE',
      about:
        'an option of the form, of several forms with the name before it: zarr.container=folder; may be given several times',
    },
  },
  async run(session, { words, text, texts, flag, whole }) {
    const client = await session.getClient()
    const keys = texts('to').length > 0 ? [...new Set(texts('to'))] : ['lerobot']
    const options = divideSettings(keys, parseSettings(texts('set')))
    const target = text('output')
    if (keys.length > 1 && target !== undefined && !(await isFolder(target)))
      throw usageError('-o must be a folder for several forms: each is a file of its own there.')
    const version = await findVersion(session, words[0] ?? '')
    const input = { org_slug: version.org_slug, version_id: version.id }
    const body = { artifact_keys: keys as QueueExport['artifact_keys'], options }
    const { jobs } = await client.exports.queueExport({ ...input, body })
    if (!flag('wait') && target === undefined) {
      session.output.list(
        jobs,
        { id: ({ id }) => id, artifact: (job) => job.artifact_key, status: ({ status }) => status },
        ({ id }) => id,
      )
      return
    }
    const made: ExportJob[] = []
    const files: FetchedFile[] = []
    for (const queued of jobs) {
      const key = queued.artifact_key as QueueExport['artifact_keys'][number]
      const progress = session.startProgress(keys.length > 1 ? `Exporting ${key}` : 'Exporting', 'percent')
      const job = await client.exports
        .wait(queued, {
          signal: session.signal,
          onProgress: ({ progress_pct: done, progress_message: message, status }) =>
            progress.update(done ?? 0, 100, message ?? status),
        })
        .finally(() => progress.end())
      made.push(job)
      if (target === undefined) continue
      for (const [, sentence] of listTold(job)) session.output.note(keys.length > 1 ? `${key}: ${sentence}` : sentence)
      const name = key === 'lerobot' ? version.slug : `${version.slug}-${key}`
      const file = await fetchFile(session, target, name, whole('parallel'), (path, wishes) =>
        downloadVersion(client, { ...input, artifact_key: key }, path, wishes),
      )
      files.push(file)
    }
    if (target === undefined) showAll(session, made, ({ id }) => id, describeExport)
    else showAll(session, files, ({ path }) => path, describeFile)
  },
}

/** One as it is, several as a list: a program is to read either as one document. */
function showAll<R extends object>(
  { output }: Session,
  records: readonly R[],
  idOf: (record: R) => string,
  describe: (record: R) => [string, unknown][],
): void {
  if (output.json && records.length > 1) output.list([...records], {}, idOf)
  else for (const record of records) output.show(record, idOf(record), describe(record))
}

const describeExport = (job: ExportJob): [string, unknown][] => [
  ['Export', job.id],
  ['Form', job.artifact_key],
  ['Status', job.status],
  ['Size', formatBytes(job.size_bytes)],
  ['sha256', job.checksum_sha256],
  ...listTold(job),
]

interface FetchedFile {
  path: string
  size_bytes: number
  sha256: string
}

const describeFile = (file: FetchedFile): [string, unknown][] => [
  ['File', file.path],
  ['Size', formatBytes(file.size_bytes)],
  ['sha256', file.sha256],
]

/** By form: of one as they are, of several by the name before the dot. */
function divideSettings(
  keys: readonly string[],
  settings: Record<string, unknown>,
): Record<string, Record<string, unknown>> {
  const divided: Record<string, Record<string, unknown>> = Object.fromEntries(keys.map((key) => [key, {}]))
  for (const [name, value] of Object.entries(settings)) {
    const key = keys.length === 1 ? keys[0] : keys.find((one) => name.startsWith(`${one}.`))
    if (key === undefined) throw usageError(`--set ${name} must say which form it is of, e.g. ${keys[0]}.${name}.`)
    const own = divided[key] ?? {}
    own[keys.length === 1 ? name : name.slice(key.length + 1)] = value
  }
  return divided
}

const listTold = ({ report }: ExportJob): [string, string][] => [
  ...(report?.losses ?? []).map(({ feature, reason }): [string, string] => ['Not held', `${feature}: ${reason}`]),
  ...(report?.notes ?? []).map((note): [string, string] => ['Note', note]),
]

/** `horizon=50`, `delta_mask=6,-1`: JSON where the text is some, several of it between commas, else the text itself. */
function parseSettings(texts: readonly string[]): Record<string, unknown> {
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw usageError(`--set takes KEY=VALUE, not "${text}".`)
      const value = text.slice(at + 1)
      return [text.slice(0, at), parse(value) ?? parse(`[${value}]`) ?? value]
    }),
  )
}

const listTargets: Command = {
  name: ['targets'],
  words: ['VERSION'],
  about:
    'List what a version can be exported as; who reads it, about how large it would be, its options, and what it has no place for.',
  examples: ['nmp targets pick-clean', 'nmp targets pick-clean --to zarr --set container=folder'],
  options: formOptions,
  async run(session, { words, text, texts }) {
    const client = await session.getClient()
    const version = await findVersion(session, words[0] ?? '')
    const key = text('to')
    const chosen = parseSettings(texts('set'))
    if (key === undefined && texts('set').length > 0) throw usageError('--set needs --to, the form it is an option of.')
    const wish = {
      ...{ org_slug: version.org_slug, version_id: version.id },
      ...(key === undefined ? {} : { options: JSON.stringify({ [key]: chosen }) }),
    }
    const listShown = async () =>
      (await client.versions.listExportTargets(wish)).items.filter((target) => key === undefined || target.key === key)
    session.output.list(
      await askSettled(listShown, (shown) => shown.find(({ estimate }) => estimate === 'measuring')?.estimate),
      {
        to: ({ key }) => key,
        size: (target) => formatBytes(target.estimated_bytes),
        files: (target) => String(target.estimated_files),
        options: ({ options }) => Object.keys((options.properties ?? {}) as object).join(', '),
        'not held': ({ losses }) => losses.map(({ feature }) => feature).join(', '),
        'read by': ({ readers }) => readers,
      },
      ({ key }) => key,
    )
  },
}

const download: Command = {
  name: ['download'],
  words: ['DATASET|VERSION'],
  about: 'Download a dataset or an exported version as a .tar, by slug or id; run it again to resume.',
  examples: ['nmp download pick-and-place -o data/'],
  options: fileOptions,
  async run(session, { words, text, whole }) {
    const client = await session.getClient()
    const name = words[0] ?? ''
    const target = text('output') ?? '.'
    const fetchArchive = async (called: string, fetch: Fetch): Promise<void> => {
      const file = await fetchFile(session, target, called, whole('parallel'), fetch)
      session.output.show(file, file.path, describeFile(file))
    }
    const fetchDataset = (dataset: DatasetName): Promise<void> =>
      fetchArchive(name, (path, options) => downloadDataset(client, dataset, path, options))
    if (/^ds_[0-9a-f]{32}$/.test(name)) return fetchDataset({ dataset_id: name })
    if (!isVersionId(name)) {
      // One call instead of two: what is no dataset shows itself by a 404.
      const found = await fetchDataset({ ...(await session.getPlace()), dataset_slug: name }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return false
          throw error
        },
      )
      if (found) return
    }
    const version = await findVersion(session, name, 'dataset or version')
    const input = { org_slug: version.org_slug, version_id: version.id }
    await fetchArchive(version.slug, (path, options) => downloadVersion(client, input, path, options))
  },
}

const isFolder = async (target: string): Promise<boolean> =>
  target.endsWith('/') || (await stat(target).catch(() => undefined))?.isDirectory() === true

type Fetch = (path: string, options: Parameters<typeof downloadVersion>[3]) => ReturnType<typeof downloadVersion>

async function fetchFile(
  session: Session,
  target: string,
  name: string,
  parallel: number | undefined,
  fetch: Fetch,
): Promise<FetchedFile> {
  const path = (await isFolder(target)) ? join(target, `${name}.tar`) : target
  const progress = session.startProgress('Downloading', 'bytes')
  const done = await fetch(path, {
    parallel,
    signal: session.signal,
    onProgress: (bytes, total) => progress.update(bytes, total),
  }).finally(() => progress.end())
  return { path: done.path, size_bytes: done.sizeBytes, sha256: done.sha256 }
}

export const exportCommands = [exportVersion, listTargets, download]
