import { ApiError } from '@nmp/sdk/client'
import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import type { Command } from '../command.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'
import { hintOptions, readHints } from '../import-hints.ts'
import { describeSource, describeStatus, showImport, watchImport } from '../import-view.ts'
import { listSome } from '../listing.ts'
import type { Session } from '../session.ts'

const statuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const
type Status = (typeof statuses)[number]

const readStatus = (given: string | undefined): Status | undefined => {
  const status = statuses.find((one) => one === given)
  if (given !== undefined && !status) throw usageError(`--status is one of ${statuses.join(', ')}, not ${given}.`)
  return status
}

const ls: Command = {
  name: ['imports', 'ls'],
  about: 'List imports, newest first.',
  options: {
    status: { type: 'string', value: 'STATUS', about: statuses.join(', ') },
    search: { type: 'string', value: 'TEXT', about: 'part of the id, slug, title or source' },
    limit: { type: 'string', value: 'N', about: 'how many; default 50' },
  },
  async run(session, { text, whole }) {
    const client = await session.getClient()
    const query = { ...(await session.getPlace()), status: readStatus(text('status')), q: text('search') }
    await listSome(session.output, client.imports.iterateImports(query, { signal: session.signal }), {
      count: whole('limit') ?? 50,
      columns: {
        id: ({ id }) => id,
        status: describeStatus,
        dataset: ({ dataset_slug: slug }) => slug,
        source: describeSource,
        created: ({ created_at: at }) => at.slice(0, 19).replace('T', ' '),
      },
      idOf: ({ id }) => id,
    })
  },
}

const named = async (session: Session, words: string[]) => ({ ...(await session.getPlace()), job_id: words[0] ?? '' })

/** A 404 says which import of which project is not there. */
const explain = (session: Session, words: string[]) => async (error: unknown) => {
  if (!(error instanceof ApiError && error.status === 404)) throw error
  const { org_slug, project_slug } = await session.getPlace()
  throw new CommandError(
    `There is no import ${words[0]} in ${org_slug}/${project_slug}; nmp imports ls lists them.`,
    exitCodes.notFound,
    error,
  )
}

const show: Command = {
  name: ['imports', 'show'],
  words: ['IMPORT'],
  about: 'Show an import.',
  async run(session, { words }) {
    const { item } = await (await session.getClient()).imports
      .getImport(await named(session, words))
      .catch(explain(session, words))
    await showImport(session, item)
  },
}

const cancel: Command = {
  name: ['imports', 'cancel'],
  words: ['IMPORT'],
  about: 'Stop an import.',
  async run(session, { words }) {
    const { item } = await (await session.getClient()).imports
      .cancelImport(await named(session, words))
      .catch(explain(session, words))
    await showImport(session, item)
  },
}

const dismiss: Command = {
  name: ['imports', 'dismiss'],
  words: ['IMPORT'],
  about: 'Mark a failed import as seen to; --undo takes it back.',
  options: { undo: { type: 'boolean', about: 'count it among the failed ones again' } },
  async run(session, given) {
    const { item } = await (await session.getClient()).imports
      .dismissImport({ ...(await named(session, given.words)), body: { dismissed: !given.flag('undo') } })
      .catch(explain(session, given.words))
    await showImport(session, item)
  },
}

const retry: Command = {
  name: ['imports', 'retry'],
  words: ['IMPORT'],
  about: 'Run a finished import again, with the same options or with others.',
  options: { ...hintOptions, wait: { type: 'boolean', about: 'wait until it has ended' } },
  async run(session, given) {
    const { item } = await (await session.getClient()).imports.retryImport({
      ...(await named(session, given.words)),
      body: { options: readHints(given) },
    })
    await showImport(session, given.flag('wait') ? await watchImport(session, item) : item)
  },
}

const watch: Command = {
  name: ['imports', 'watch'],
  words: ['IMPORT'],
  about: 'Wait until an import has ended; --json prints a line for every change.',
  async run(session, { words }) {
    const place = { ...(await session.getPlace()), id: words[0] ?? '' }
    if (!session.output.json) return showImport(session, await watchImport(session, place))
    const print = (job: ImportJob): void => session.output.print(JSON.stringify(job))
    await (await session.getClient()).imports.wait(place, { signal: session.signal, onProgress: print })
  },
}

const report: Command = {
  name: ['imports', 'report'],
  words: ['IMPORT'],
  about: 'Show what an import found, repaired and left out.',
  async run(session, { words }) {
    const { item } = await (await session.getClient()).imports.getImportReport(await named(session, words))
    const { counts } = item
    session.output.show(item, item.import_id, [
      ['Outcome', item.outcome],
      ['Summary', item.summary],
      [
        'Episodes',
        `${counts.episodes_imported} of ${counts.episodes_found} imported, ${counts.episodes_repaired} repaired, ${counts.episodes_left_out} left out`,
      ],
      ['Frames', counts.frames],
      ['Layout', [item.source.layout, item.source.version].filter(Boolean).join(' ')],
      ['Error', item.error?.message],
    ])
    for (const { severity, dropped, sentence } of item.findings)
      session.output.say(`${(dropped ? 'loss' : severity).padEnd(7)}  ${sentence}`)
  },
}

export const importsCommands = [ls, show, cancel, dismiss, retry, watch, report]
