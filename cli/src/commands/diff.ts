import { setTimeout as sleep } from 'node:timers/promises'
import type { Diff, DiffEpisode, LineageNode } from '@nmp/sdk/generated/records'
import type { Command } from '../command.ts'
import { findSide } from '../compared-side.ts'
import { CommandError, exitCodes } from '../failures.ts'
import type { Session } from '../session.ts'

const pollMs = 1000
const kinds = ['added', 'removed', 'trimmed', 'changed', 're_encoded', 'relabelled', 'same'] as const
const shownEpisodes = 20
const shownStatistics = 10
/** Less than this is noise to a person; `--json` has everything. */
const toldKs = 0.02
const toldSigmas = 0.05

const diff: Command = {
  name: ['diff'],
  words: ['FROM', 'TO'],
  about:
    'Tell what differs between two datasets, revisions or versions: by slug, as DATASET@REVISION, as VERSION@NUMBER, or by id. Episodes are known by what they hold, never by their number.',
  examples: ['nmp diff cans@1 cans@2', 'nmp diff cans steady --json | jq .counts'],
  options: { again: { type: 'boolean', about: 'read a side once more whose episodes could not be fingerprinted' } },
  async run(session, { words, flag }) {
    const [from, to] = [await findSide(session, words[0] ?? ''), await findSide(session, words[1] ?? '')]
    const item = await followDiff(session, { from, to, again: flag('again') })
    if (session.output.json) session.output.print(JSON.stringify(await listAll(session, { from, to }, item), null, 2))
    else tell(session, item)
  },
}

interface Sides {
  from: string
  to: string
}

/** Waits while the rows and packets of a side are read, which is once. */
async function followDiff(session: Session, { again, ...sides }: Sides & { again: boolean }): Promise<Diff> {
  const client = await session.getClient()
  const org_slug = await session.getOrg()
  const progress = session.startProgress('Reading', 'percent')
  try {
    for (let isFirst = true; ; isFirst = false) {
      const query = { org_slug, ...sides, limit: session.output.json ? 0 : shownEpisodes }
      const { item } = await client.datasets.getDiff(
        { ...query, ...(again && isFirst ? { again } : {}) },
        { signal: session.signal },
      )
      if (item.state === 'ready') return item
      if (item.state === 'failed')
        throw new CommandError(
          item.preparing.map(({ message }) => message.replace('Ask with again=true', 'nmp diff --again')).join(' '),
          exitCodes.jobFailed,
        )
      const [first] = item.preparing
      progress.update(first?.progress_pct ?? 0, 100, first?.message ?? '')
      await sleep(pollMs, undefined, { signal: session.signal })
    }
  } finally {
    progress.end()
  }
}

/** Every episode of every kind, a thousand at a time. */
async function listAll(session: Session, sides: Sides, item: Diff): Promise<Diff> {
  const { counts } = item
  if (!counts) return item
  const client = await session.getClient()
  const org_slug = await session.getOrg()
  const lists: Record<string, DiffEpisode[]> = {}
  for (const kind of kinds) {
    const list: DiffEpisode[] = []
    while (list.length < counts[kind]) {
      const query = { org_slug, ...sides, kind, offset: list.length, limit: 1000 }
      const { item: page } = await client.datasets.getDiff(query, { signal: session.signal })
      const some = page.episodes?.[kind] ?? []
      if (some.length === 0) break
      list.push(...some)
    }
    lists[kind] = list
  }
  return { ...item, episodes: lists as Diff['episodes'] }
}

function tell(session: Session, item: Diff): void {
  const { say } = session.output
  const counts = kinds.map((kind) => `${item.counts?.[kind] ?? 0} ${kind.replace('_', '-')}`)
  say(`${describeSide(item.from)} -> ${describeSide(item.to)}: ${counts.join(', ')}.`)
  for (const kind of kinds) {
    if (kind === 'same') continue
    for (const episode of item.episodes?.[kind] ?? []) say(`  ${kind.padEnd(10)} ${describeEpisode(episode)}`)
    const rest = (item.counts?.[kind] ?? 0) - (item.episodes?.[kind].length ?? 0)
    if (rest > 0) say(`  ${kind.padEnd(10)} and ${rest} more`)
  }
  if (item.unsearched > 0)
    say(`  ${item.unsearched} added and removed episodes were too many to be looked at for cuts.`)
  for (const { change, from, to } of item.features ?? [])
    say(`  feature ${change}: ${change === 'renamed' ? `${from} -> ${to}` : (to ?? from)}`)
  const moved = (item.statistics?.items ?? []).filter(
    ({ ks, shift_sigmas: shift }) => (ks ?? 0) >= toldKs || shift === null || Math.abs(shift) >= toldSigmas,
  )
  if (moved.length > 0) say('  statistics that moved (the distance KS is an estimate from quantiles):')
  for (const { feature, dimension, name, ks, shift_sigmas: shift } of moved.slice(0, shownStatistics))
    say(
      `    ${feature}[${name ?? dimension}]  KS ${ks === null ? '?' : ks.toFixed(3)}  mean ${shift === null ? 'of a constant' : `${shift >= 0 ? '+' : ''}${shift.toFixed(2)} sigma`}`,
    )
  if (moved.length > shownStatistics) say(`    and ${moved.length - shownStatistics} more`)
  for (const { task, from_episodes: from, to_episodes: to } of item.tasks.items)
    if (from !== to) say(`  task ${JSON.stringify(task)}: ${from} -> ${to} episodes`)
  for (const { key, from, to } of item.recipe) say(`  recipe ${key}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`)
}

const describeSide = ({ slug, number, kind, episode_count: count }: Diff['from']): string =>
  `${slug}@${number} (${kind}, ${count} episodes)`

function describeEpisode(episode: DiffEpisode): string {
  const { from_episode: from, to_episode: to, from_frames, to_frames, kept_frames: kept, relabelled, differs } = episode
  const numbers =
    from === null ? `episode ${to}` : to === null || from === to ? `episode ${from}` : `episode ${from} -> ${to}`
  const frames =
    from_frames !== null && to_frames !== null && from_frames !== to_frames
      ? `${from_frames} -> ${to_frames} frames`
      : ''
  const ranges = kept
    ? `keeps ${kept
        .slice(0, 3)
        .map(([start, end]) => `${start}..${end}`)
        .join(', ')}${kept.length > 3 ? ', …' : ''}`
    : ''
  const tasks = relabelled
    ? `task ${JSON.stringify(episode.from_tasks.join('; '))} -> ${JSON.stringify(episode.to_tasks.join('; '))}`
    : ''
  return [numbers, frames, ranges, differs.length > 0 ? `differs: ${differs.join(', ')}` : '', tasks]
    .filter(Boolean)
    .join('  ')
}

const lineage: Command = {
  name: ['lineage'],
  words: ['DATASET|VERSION'],
  about: 'Show what a dataset or version came from, and what came from it.',
  async run(session, { words }) {
    const client = await session.getClient()
    const id = await findSide(session, words[0] ?? '')
    const options = { signal: session.signal }
    const org_slug = await session.getOrg()
    const { item } = id.startsWith('ver_')
      ? await client.versions.getVersionLineage({ org_slug, version_id: id }, options)
      : await client.datasets.getDatasetLineage(
          { ...(await session.getPlace()), dataset_slug: (words[0] ?? '').split('@')[0] ?? '' },
          options,
        )
    if (session.output.json) return session.output.print(JSON.stringify(item, null, 2))
    const nodes = new Map(item.nodes.map((node) => [node.id, node]))
    const arrivals = new Set(item.edges.map(({ to }) => to))
    const shown = new Set<string>()
    const draw = (node: LineageNode, depth: number): void => {
      const isKnown = shown.has(node.id)
      shown.add(node.id)
      const detail = isKnown ? ' (above)' : node.detail && ` (${node.detail})`
      session.output.say(`${'  '.repeat(depth)}${node.kind} ${node.title}${detail}`)
      if (isKnown) return
      for (const { from, to } of item.edges) {
        const next = nodes.get(to)
        if (from === node.id && next) draw(next, depth + 1)
      }
    }
    for (const node of item.nodes) if (!arrivals.has(node.id)) draw(node, 0)
    if (item.truncated) session.output.note('There is more than this.')
  },
}

export const diffCommands: Command[] = [diff, lineage]
