import type { EpisodeFlag } from '@nmp/sdk/generated/records'
import type { Command, Option } from '../command.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'
import { listSome } from '../listing.ts'
import type { Columns } from '../output.ts'
import type { Session } from '../session.ts'
import { isVersionId } from '../version-name.ts'

const reasons = ['idle', 'shaky', 'failed', 'tracking', 'camera', 'task', 'other'] as const
type Reason = (typeof reasons)[number]

const reasonOption: Record<string, Option> = {
  reason: { type: 'string', value: 'REASON', about: reasons.join(', ') },
}

const readReason = (given: string | undefined): Reason | undefined => {
  const reason = reasons.find((one) => one === given)
  if (given !== undefined && !reason) throw usageError(`--reason is one of ${reasons.join(', ')}, not ${given}.`)
  return reason
}

const columns: Columns<EpisodeFlag> = {
  id: ({ id }) => id,
  episode: ({ episode_index: index }) => index,
  reason: ({ reason }) => reason,
  frames: ({ start_frame: start, end_frame: end }) => (start === null ? 'all' : `${start} to ${end}`),
  note: ({ note }) => note,
  by: ({ created_by_name: name, created_by: id }) => name ?? id,
}

/** A version is named by its id: a slug is one of a dataset. */
const placeVersion = async (session: Session, version_id: string) => ({
  org_slug: await session.getOrg(),
  version_id,
})

const ls: Command = {
  name: ['flags', 'ls'],
  words: ['DATASET'],
  about: 'List the flagged episodes of a dataset, or of a version by its id.',
  examples: ['nmp flags ls pick-and-place --reason shaky', 'nmp flags ls pick-and-place --json | jq .[].episode_index'],
  options: { ...reasonOption, limit: { type: 'string', value: 'N', about: 'how many; default 200' } },
  async run(session, { words, text, whole }) {
    const { curation } = await session.getClient()
    const [name = ''] = words
    const options = { signal: session.signal }
    const reason = readReason(text('reason'))
    const all = isVersionId(name)
      ? curation.iterateVersionFlags({ ...(await placeVersion(session, name)), reason }, options)
      : curation.iterateFlags({ ...(await session.getPlace()), dataset_slug: name, reason }, options)
    await listSome(session.output, all, { count: whole('limit') ?? 200, columns, idOf: ({ id }) => id })
  },
}

const add: Command = {
  name: ['flags', 'add'],
  words: ['DATASET', 'EPISODE…'],
  about: 'Flag episodes of a dataset, or of a version by its id; flagging again replaces the note.',
  examples: ['nmp flags add pick-and-place 3 17 42 --reason failed --note "dropped the block"'],
  options: { ...reasonOption, note: { type: 'string', value: 'TEXT', about: 'what is wrong' } },
  async run(session, { words, text }) {
    const reason = readReason(text('reason'))
    if (!reason) throw usageError(`--reason is missing: one of ${reasons.join(', ')}.`)
    const [dataset_slug = '', ...episodes] = words
    const wrong = episodes.find((word) => !/^\d{1,9}$/.test(word))
    if (wrong) throw usageError(`${wrong} is not an episode number.`)
    const items = episodes.map((word) => ({ episode_index: Number(word), reason, note: text('note') }))
    const { curation } = await session.getClient()
    const { items: flags } = isVersionId(dataset_slug)
      ? await curation.putVersionFlags({ ...(await placeVersion(session, dataset_slug)), body: { items } })
      : await curation.putFlags({ ...(await session.getPlace()), dataset_slug, body: { items } })
    session.output.list(flags, columns, ({ id }) => id)
  },
}

const remove: Command = {
  name: ['flags', 'rm'],
  words: ['DATASET', 'FLAG…'],
  about: 'Remove flags, by id.',
  async run(session, { words }) {
    const [dataset_slug = '', ...ids] = words
    const { curation } = await session.getClient()
    const { items } = isVersionId(dataset_slug)
      ? await curation.deleteVersionFlags({ ...(await placeVersion(session, dataset_slug)), body: { ids } })
      : await curation.deleteFlags({ ...(await session.getPlace()), dataset_slug, body: { ids } })
    const missing = ids.filter((id) => items.every((flag) => flag.id !== id))
    if (items.length > 0) session.output.list(items, columns, ({ id }) => id)
    if (missing.length === 0) return
    const removed = items.length > 0 ? ` Removed the other ${items.length}.` : ' Nothing was removed.'
    throw new CommandError(
      `${dataset_slug} has no flag ${missing.join(', ')}; nmp flags ls ${dataset_slug} lists them.${removed}`,
      exitCodes.notFound,
    )
  },
}

export const flagCommands = [ls, add, remove]
