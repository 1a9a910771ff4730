import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { MergeSource } from '@nmp/sdk/generated/records'
import type { Command, Option } from '../command.ts'
import { findDatasetId } from '../dataset-name.ts'
import { CommandError, usageError } from '../failures.ts'
import { formatBytes } from '../output.ts'
import type { Session } from '../session.ts'
import { askSettled } from '../settled-size.ts'
import { isVersionId } from '../version-name.ts'

const mapOption: Record<string, Option> = {
  map: {
    type: 'string',
    value: 'FILE|-',
    about: '{"sources": [{"map": …, "recipe": …, "weight": …}, …], "seed": …} in the order of the datasets',
  },
}

/** What is said of each source, and of all of them. */
interface Said {
  /** `rows` is what a suggestion rests on, which the service does not want back. */
  sources?: (Partial<MergeSource> & { rows?: unknown })[]
  seed?: number
  task_weights?: Record<string, number>
  task_samples?: Record<string, number>
}

async function readSaid(session: Session, file: string | undefined): Promise<Said> {
  if (file === undefined) return {}
  const given = file === '-' ? await readText(session.stdin) : await readFile(file, 'utf8')
  try {
    return JSON.parse(given) as Said
  } catch (error) {
    throw new CommandError(`The map is not valid JSON: ${(error as Error).message}`)
  }
}

/** Datasets by slug or id, versions by id. */
async function readRequest(session: Session, names: readonly string[], file: string | undefined) {
  const { sources: said = [], ...rest } = await readSaid(session, file)
  if (said.length > 0 && said.length !== names.length)
    throw usageError(`The map speaks of ${said.length} sources, and ${names.length} are named.`)
  const sources: MergeSource[] = []
  for (const [place, name] of names.entries()) {
    const { rows: _, ...own } = said[place] ?? {}
    const found = isVersionId(name)
      ? { dataset_kind: 'version' as const, dataset_id: name }
      : { dataset_kind: 'catalog' as const, dataset_id: await findDatasetId(session, name) }
    sources.push({ ...own, ...found })
  }
  return { ...rest, sources }
}

const merge: Command = {
  name: ['versions', 'merge'],
  words: ['DATASET…'],
  about: 'Create one version of several datasets or versions, mapped as --map says.',
  examples: [
    'nmp versions suggest-map lab-a lab-b > map.json',
    'nmp versions merge lab-a lab-b --map map.json --dry-run',
    'nmp versions merge lab-a lab-b --slug both --map map.json',
  ],
  options: {
    ...mapOption,
    slug: { type: 'string', value: 'SLUG', about: 'name of the version; an existing name gets the next number' },
    name: { type: 'string', value: 'TEXT', about: 'title of the version; default: its slug' },
    'dry-run': { type: 'boolean', about: 'show what it would give, without creating anything' },
  },
  async run(session, { words, text, flag }) {
    const { org_slug, project_slug } = await session.getPlace()
    const asked = await readRequest(session, words, text('map'))
    const { versions } = await session.getClient()
    if (flag('dry-run')) {
      const { item } = await askSettled(
        () => versions.previewMerge({ org_slug, body: asked }),
        (answer) => answer.item.estimate,
      )
      session.output.show(item, String(item.episode_count), [
        ['Episodes', item.episode_count],
        ['Frames', `${item.frame_count} at ${item.fps} per second`],
        ['Size', `about ${formatBytes(item.estimated_bytes)}`],
        ...item.sources.map((source): [string, string] => [
          source.title,
          `${source.episode_count} episodes, ${source.frame_count} frames, ${source.hours.toFixed(2)} h, ${(100 * source.share).toFixed(1)} %`,
        ]),
      ])
      return
    }
    const slug = text('slug')
    if (!slug) throw usageError('--slug is missing. Name the version, for example --slug both-arms.')
    const body = { ...asked, slug, name: text('name') ?? slug, project_slug }
    const { item } = await versions.createVersion({ org_slug, body })
    session.output.show(item, item.id, [
      ['Version', `${item.slug} v${item.version}`],
      ['Id', item.id],
      ['Sources', item.sources?.length ?? 1],
      ['Episodes', item.episode_count],
      ['Frames', item.frame_count],
    ])
  },
}

const suggest: Command = {
  name: ['versions', 'suggest-map'],
  words: ['DATASET…'],
  about: 'Suggest how the names and units of datasets fit those of the first; prints the file that merge takes.',
  options: mapOption,
  async run(session, { words, text }) {
    const org_slug = await session.getOrg()
    const asked = await readRequest(session, words, text('map'))
    const { items } = await (await session.getClient()).versions.suggestMap({ org_slug, body: asked })
    session.output.print(JSON.stringify({ sources: items.map(({ map, rows }) => ({ map, rows })) }, null, 2))
  },
}

export const mergeCommands: Command[] = [merge, suggest]
