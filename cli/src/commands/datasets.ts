import { describeLosses } from '@nmp/sdk/import-losses'
import type { Command, Option } from '../command.ts'
import { findDatasetId } from '../dataset-name.ts'
import { usageError } from '../failures.ts'
import { listSome } from '../listing.ts'
import { formatBytes, formatSeconds } from '../output.ts'
import { asPerson, signInOption } from '../person.ts'
import type { Session } from '../session.ts'
import { confirmVisibility, yesOption } from '../visibility.ts'
import { roles } from './dataset-roles.ts'

const limitOption: Record<string, Option> = { limit: { type: 'string', value: 'N', about: 'how many; default 50' } }

const search: Command = {
  name: ['catalog', 'search'],
  words: ['[TEXT]'],
  about: 'Search the public catalog.',
  examples: ['nmp catalog search pick --robot so101', 'nmp catalog search --json | jq -r .[].id'],
  options: {
    ...limitOption,
    robot: { type: 'string', value: 'TYPE', about: 'of this robot type' },
    tag: { type: 'string', value: 'TAG', about: 'with this tag' },
  },
  async run(session, { words, text, whole }) {
    const client = await session.getClient()
    const query = { q: words[0], robot_type: text('robot'), tag: text('tag') }
    await listSome(session.output, client.catalog.iterateCatalog(query, { signal: session.signal }), {
      count: whole('limit') ?? 50,
      columns: {
        id: ({ id }) => id,
        title: ({ title }) => title,
        robot: ({ robot_type: robot }) => robot,
        episodes: ({ total_episodes: count }) => count,
        frames: ({ total_frames: count }) => count,
      },
      idOf: ({ id }) => id,
    })
  },
}

const showCatalog: Command = {
  name: ['catalog', 'show'],
  words: ['DATASET_ID'],
  about: 'Show a dataset from the catalog, or any other that you can read.',
  async run(session, { words }) {
    await showManifest(session, words[0] ?? '')
  },
}

const ls: Command = {
  name: ['datasets', 'ls'],
  about: 'List the datasets of the project.',
  options: limitOption,
  async run(session, { whole }) {
    const client = await session.getClient()
    const all = client.datasets.iterateProjectDatasets(await session.getPlace(), { signal: session.signal })
    await listSome(session.output, all, {
      count: whole('limit') ?? 50,
      columns: {
        slug: ({ slug }) => slug,
        id: ({ id }) => id,
        title: ({ title }) => title,
        visibility: ({ visibility }) => visibility,
        source: ({ source_kind: kind, source_uri: uri }) => uri ?? kind,
        updated: ({ updated_at: at }) => at.slice(0, 10),
      },
      idOf: ({ slug }) => slug,
    })
  },
}

const show: Command = {
  name: ['datasets', 'show'],
  words: ['DATASET'],
  about: 'Show a dataset of the project, by slug or id.',
  async run(session, { words }) {
    await showManifest(session, await findDatasetId(session, words[0] ?? ''))
  },
}

async function showManifest(session: Session, dataset_id: string): Promise<void> {
  const client = await session.getClient()
  const { item } = await client.catalog.getCatalogDataset({ dataset_id, limit: 1 }, { signal: session.signal })
  const { metrics, observation, splits, statistics } = item
  session.output.show(item, item.id, [
    ['Dataset', `${item.org_slug}/${item.project_slug}/${item.slug}`],
    ['Id', item.id],
    ['Title', item.title],
    ['Visibility', item.visibility],
    [
      'Lost at import',
      item.import_losses && `${describeLosses(item.import_losses)}. ${item.import_losses.first_reason}`,
    ],
    ['Robot', item.robot_type],
    ['Episodes', metrics.total_episodes],
    ['Splits', splits.map(({ name, episode_count: count }) => `${name} ${count}`)],
    ['Frames', `${metrics.total_frames} at ${metrics.fps} fps, ${formatSeconds(statistics.total_recording_sec)}`],
    ['Cameras', observation.cameras.map(({ key, width, height }) => `${key} ${width}x${height}`)],
    ['State', observation.state && `${observation.state.dimension} values`],
    ['Action', item.action && `${item.action.dimension} values`],
    ['Tasks', item.tasks.slice(0, 5)],
    ['Source', `${item.source.source_label}, ${item.source_layout} ${item.source_version}`],
    ['Revision', item.revision_number],
    ['Size', formatBytes(item.size_bytes)],
  ])
}

const historyOption = {
  history: { type: 'boolean', about: 'also publish the revisions of before; without it, this one and later ones' },
} as const

const makeVisibility = (word: string, visibility: 'public' | 'private', about: string): Command => ({
  name: ['datasets', word],
  words: ['DATASET'],
  about,
  options: { ...signInOption, ...yesOption, ...(visibility === 'public' ? historyOption : {}) },
  async run(session, { words, flag }) {
    await confirmVisibility(session, flag('yes'), visibility, `the dataset ${words[0]}`)
    const change = {
      ...(await session.getPlace()),
      dataset_slug: words[0] ?? '',
      body: { visibility, ...(visibility === 'public' && flag('history') ? { public_history: true } : {}) },
    }
    const { item } = await asPerson(session, flag('sign-in'), (client) => client.datasets.changeProjectDataset(change))
    session.output.show(item, item.id, [
      ['Dataset', item.slug],
      ['Id', item.id],
      ['Visibility', item.visibility],
    ])
  },
})

const edited = {
  title: 'title',
  description: 'description',
  licence: 'licence',
  work: 'work_name',
  task: 'task_name',
  robot: 'robot_type',
  embodiment: 'embodiment',
  'robot-description': 'robot_description_uri',
} as const

const edit: Command = {
  name: ['datasets', 'edit'],
  words: ['DATASET'],
  about: 'Edit the title, tags and other details of a dataset; --reset FIELD restores what its source says.',
  examples: ['nmp datasets edit cubes --robot so101 --tag pick --tag place', 'nmp datasets edit cubes --reset robot'],
  options: {
    ...Object.fromEntries(
      Object.keys(edited).map((name): [string, Option] => [
        name,
        { type: 'string', value: 'TEXT', about: `its ${name}` },
      ]),
    ),
    tag: { type: 'string', multiple: true, value: 'TAG', about: 'a tag; replaces all present tags, may be repeated' },
    reset: {
      type: 'string',
      multiple: true,
      value: 'FIELD',
      about: `one of ${[...Object.keys(edited), 'tag'].join(', ')}`,
    },
  },
  async run(session, { words, text, texts }) {
    const body: Record<string, string | string[] | null> = {}
    for (const [name, field] of Object.entries(edited)) {
      const value = text(name)
      if (value !== undefined) body[field] = value
    }
    if (texts('tag').length > 0) body.tags = texts('tag')
    for (const name of texts('reset')) {
      const field = name === 'tag' ? 'tags' : edited[name as keyof typeof edited]
      if (field === undefined)
        throw usageError(`--reset takes one of ${Object.keys(edited).join(', ')}, tag; not ${name}.`)
      body[field] = null
    }
    if (Object.keys(body).length === 0)
      throw usageError('Nothing to change. Give at least one option, for example --title TEXT.')
    const client = await session.getClient()
    const place = { ...(await session.getPlace()), dataset_slug: words[0] ?? '' }
    const { item } = await client.datasets.changeProjectDataset({ ...place, body })
    session.output.show(item, item.id, [
      ['Dataset', item.slug],
      ['Title', item.title],
      ['Robot', item.robot_type],
      ['Embodiment', item.embodiment],
      ['Work', item.work_name],
      ['Task', item.task_name],
      ['Licence', item.licence],
      ['Tags', item.tags],
      ['Edited by hand', item.edited_fields],
    ])
  },
}

const rename: Command = {
  name: ['datasets', 'rename'],
  words: ['DATASET', 'SLUG'],
  about: 'Give a dataset another slug; the old one leads to it until something else takes it.',
  examples: ['nmp datasets rename cups mugs'],
  async run(session, { words }) {
    const client = await session.getClient()
    const { item } = await client.datasets.renameProjectDataset({
      ...(await session.getPlace()),
      dataset_slug: words[0] ?? '',
      body: { slug: words[1] ?? '' },
    })
    session.output.show(item, item.id, [
      ['Dataset', `${item.org_slug}/${item.project_slug}/${item.slug}`],
      ['Id', item.id],
    ])
  },
}

const sorts = ['episode_index', 'duration', 'frames']

const episodes: Command = {
  name: ['episodes', 'ls'],
  words: ['DATASET'],
  about: 'List the episodes of a dataset, by slug or id.',
  examples: ['nmp episodes ls pick-and-place --sort duration --desc --limit 10'],
  options: {
    ...limitOption,
    search: { type: 'string', value: 'TEXT', about: 'part of a task text, or an episode number' },
    split: { type: 'string', value: 'NAME', about: 'only episodes of this split' },
    sort: { type: 'string', value: 'FIELD', about: sorts.join(', ') },
    desc: { type: 'boolean', about: 'largest first' },
  },
  async run(session, { words, text, flag, whole }) {
    const sort = text('sort')
    if (sort !== undefined && !sorts.includes(sort))
      throw usageError(`--sort is one of ${sorts.join(', ')}, not ${sort}.`)
    const client = await session.getClient()
    const query = {
      dataset_id: await findDatasetId(session, words[0] ?? ''),
      q: text('search'),
      split: text('split'),
      sort,
      order: flag('desc') ? ('desc' as const) : undefined,
      limit: Math.min(200, (whole('limit') ?? 50) + 1),
    }
    const all = client.catalog.iterateEpisodes(query, { signal: session.signal })
    await listSome(session.output, all, {
      count: whole('limit') ?? 50,
      columns: {
        episode: ({ episode_index: index }) => index,
        frames: ({ length_frames: frames }) => frames,
        seconds: ({ duration_sec: seconds }) => seconds.toFixed(2),
        splits: ({ splits }) => splits,
        tasks: ({ tasks }) => tasks,
      },
      idOf: ({ episode_index: index }) => String(index),
    })
  },
}

const standouts: Command = {
  name: ['episodes', 'standouts'],
  words: ['DATASET'],
  about: 'List the episodes that stand still, are slow or shake more than the others, by slug or id.',
  examples: ['nmp episodes standouts pick-and-place', 'nmp episodes standouts pick-and-place --quiet | sort -n'],
  async run(session, { words }) {
    const client = await session.getClient()
    const dataset_id = await findDatasetId(session, words[0] ?? '')
    const { item } = await client.catalog.getFiltering({ dataset_id }, { signal: session.signal })
    if (item.note !== null) session.output.note(item.note)
    session.output.list(
      [
        ...item.low_motion_episodes.map((episode) => ({ ...episode, list: 'low motion' })),
        ...item.high_variance_episodes.map((episode) => ({ ...episode, list: 'high variance' })),
      ],
      {
        episode: ({ episode_index: index }) => index,
        list: ({ list }) => list,
        seconds: ({ duration_sec: seconds }) => seconds.toFixed(2),
        why: ({ score_label: label }) => label,
      },
      ({ episode_index: index }) => String(index),
    )
  },
}

export const datasetCommands = [
  search,
  showCatalog,
  ls,
  show,
  edit,
  rename,
  roles,
  makeVisibility('publish', 'public', "Publish a dataset in the public catalog; needs a project admin's session."),
  makeVisibility('unpublish', 'private', 'Remove a dataset from the public catalog.'),
  episodes,
  standouts,
]
