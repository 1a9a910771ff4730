import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { DerivedDatasetVersion, RecipeInput } from '@nmp/sdk/generated/records'
import type { Command, Option } from '../command.ts'
import { findDatasetId } from '../dataset-name.ts'
import { CommandError, usageError } from '../failures.ts'
import { finishImport } from '../import-view.ts'
import { listSome } from '../listing.ts'
import { formatBytes, formatSeconds, type Output } from '../output.ts'
import { asPerson, signInOption } from '../person.ts'
import type { Session } from '../session.ts'
import { askSettled } from '../settled-size.ts'
import { findVersion, findVersionAnywhere } from '../version-name.ts'
import { confirmVisibility, yesOption } from '../visibility.ts'

const recipeOption: Record<string, Option> = {
  recipe: { type: 'string', value: 'FILE|-', about: 'the recipe as JSON; - reads standard input' },
  split: { type: 'string', value: 'NAME,…', about: 'only episodes of these splits; may be combined with a recipe' },
}

const fromVersionOption: Record<string, Option> = {
  'from-version': {
    type: 'string',
    value: 'VERSION',
    about: 'derive from this version, by id or slug, instead of a dataset',
  },
}

/** Either a dataset or a version; the recipe speaks of its episodes. */
async function findSource(session: Session, dataset: string | undefined, version: string | undefined) {
  if (version !== undefined && dataset !== undefined)
    throw usageError(`Give a dataset or --from-version, not both: ${dataset} and ${version}.`)
  if (version !== undefined)
    return { dataset_kind: 'version' as const, dataset_id: (await findVersion(session, version)).id }
  if (dataset === undefined) throw usageError('The source is missing: a dataset, or --from-version VERSION.')
  return { dataset_kind: 'catalog' as const, dataset_id: await findDatasetId(session, dataset) }
}

const ls: Command = {
  name: ['versions', 'ls'],
  about: 'List the derived versions of the project.',
  options: {
    source: { type: 'string', value: 'DATASET', about: 'made from this dataset, by slug or id' },
    limit: { type: 'string', value: 'N', about: 'how many; default 50' },
  },
  async run(session, { text, whole }) {
    const source = text('source')
    const query = { ...(await session.getPlace()), source: source && (await findDatasetId(session, source)) }
    const all = (await session.getClient()).versions.iterateVersions(query, { signal: session.signal })
    await listSome(session.output, all, {
      count: whole('limit') ?? 50,
      columns: {
        id: ({ id }) => id,
        slug: ({ slug, version }) => `${slug} v${version}`,
        status: ({ status }) => status,
        episodes: ({ episode_count: count }) => count,
        frames: ({ frame_count: count }) => count,
        source: ({ source: { title } }) => title,
      },
      idOf: ({ id }) => id,
    })
  },
}

const show: Command = {
  name: ['versions', 'show'],
  words: ['VERSION'],
  about: 'Show a derived version, by id or slug.',
  async run(session, { words }) {
    showVersion(session.output, await findVersion(session, words[0] ?? ''))
  },
}

const create: Command = {
  name: ['versions', 'create'],
  words: ['[DATASET]'],
  about: 'Create a derived version of a dataset, or of another version, from a recipe.',
  examples: [
    'nmp versions create pick-and-place --slug pick-clean --recipe recipe.json',
    `echo '{"excluded_episode_indices": [3, 17]}' | nmp versions create pick-and-place --slug pick-clean --recipe -`,
    'nmp versions create --from-version pick-clean --slug pick-small --recipe resize.json',
    'nmp versions create pick-and-place --slug pick-train --split train',
  ],
  options: {
    ...recipeOption,
    ...fromVersionOption,
    slug: { type: 'string', value: 'SLUG', about: 'name of the version; an existing name gets the next number' },
    name: { type: 'string', value: 'TEXT', about: 'title of the version; default: its slug' },
    'idempotency-key': { type: 'string', value: 'KEY', about: 'a repeated key returns the same version' },
  },
  async run(session, { words, text }) {
    const slug = text('slug')
    if (!slug) throw usageError('--slug is missing. Name the version, for example --slug pick-and-place-short.')
    const { org_slug, project_slug } = await session.getPlace()
    const source = await findSource(session, words[0], text('from-version'))
    const recipe = await readRecipe(session, text('recipe'), text('split'))
    const { item } = await (await session.getClient()).versions.createVersion({
      org_slug,
      body: {
        slug,
        name: text('name') ?? slug,
        project_slug,
        source,
        recipe,
        idempotency_key: text('idempotency-key'),
      },
    })
    showVersion(session.output, item)
  },
}

const remove: Command = {
  name: ['versions', 'delete'],
  words: ['VERSION'],
  about: 'Delete a derived version and its exports; its source is not changed.',
  examples: ['nmp versions delete ver_0192… --yes'],
  options: yesOption,
  async run(session, { words, flag }) {
    const version = await findVersion(session, words[0] ?? '')
    const name = `${version.slug} v${version.version} (${version.id})`
    if (!flag('yes') && !(await session.ask(`Delete ${name}?`)))
      throw new CommandError(`Nothing was deleted. Run it with --yes to delete ${name}.`)
    const { item } = await (await session.getClient()).versions.deleteVersion({
      org_slug: version.org_slug,
      version_id: version.id,
    })
    session.output.show(item, item.id, [['Deleted', name]])
  },
}

const copy: Command = {
  name: ['versions', 'copy'],
  words: ['[ORG/]VERSION'],
  about: 'Copy a version into a project as an independent dataset; it is exported first if necessary.',
  examples: [
    'nmp versions copy pick-clean --to pick-clean-data',
    'nmp versions copy acme/ver_0192… --to my-org/lab/pick-clean --title "Pick, cleaned"',
  ],
  options: {
    to: {
      type: 'string',
      value: '[[ORG/]PROJECT/]SLUG',
      about: "the dataset; by default in the version's project",
    },
    title: { type: 'string', value: 'TEXT', about: 'title of the dataset; default: the name of the version' },
    'idempotency-key': { type: 'string', value: 'KEY', about: 'a repeated key returns the same import' },
    'no-wait': { type: 'boolean', about: 'return at once instead of waiting' },
  },
  async run(session, { words, text, flag }) {
    const target = readTarget(text('to'))
    const version = await findVersionAnywhere(session, words[0] ?? '')
    const { item } = await (await session.getClient()).versions.copyVersion({
      ...version,
      body: { ...target, title: text('title'), idempotency_key: text('idempotency-key') },
    })
    await finishImport(session, flag('no-wait'), item)
  },
}

function readTarget(given: string | undefined) {
  if (!given) throw usageError('--to is missing. Name the dataset, for example --to pick-and-place-clean.')
  const [slug = '', project, org, ...more] = given.split('/').reverse()
  if (more.length > 0 || [slug, project, org].includes(''))
    throw usageError(`--to takes SLUG, PROJECT/SLUG or ORG/PROJECT/SLUG, not ${given}.`)
  return { dataset_slug: slug, project_slug: project, org_slug: org }
}

const makeVisibility = (word: string, visibility: 'public' | 'private', about: string): Command => ({
  name: ['versions', word],
  words: ['VERSION'],
  about,
  options: { ...signInOption, ...yesOption },
  async run(session, { words, flag }) {
    const version = await findVersion(session, words[0] ?? '')
    await confirmVisibility(session, flag('yes'), visibility, `version ${version.version} of ${version.slug}`)
    const change = { org_slug: version.org_slug, version_id: version.id, body: { visibility } }
    const { item } = await asPerson(session, flag('sign-in'), (client) => client.versions.changeVersion(change))
    session.output.show(item, item.id, [
      ['Version', `${item.slug} v${item.version}`],
      ['Id', item.id],
      ['Visibility', item.visibility],
    ])
  },
})

const preview: Command = {
  name: ['versions', 'preview'],
  words: ['[DATASET]'],
  about: 'Show what a recipe would give, without creating anything.',
  examples: [
    `echo '{"first_n_episodes": 50}' | nmp versions preview pick-and-place --recipe -`,
    `echo '{"trim": {"ranges": {"12": [[30, 410]]}}}' | nmp versions preview pick-and-place --recipe -`,
  ],
  options: { ...recipeOption, ...fromVersionOption },
  async run(session, { words, text }) {
    const source = await findSource(session, words[0], text('from-version'))
    const { versions } = await session.getClient()
    const body = { source, recipe: await readRecipe(session, text('recipe'), text('split')) }
    const org_slug = await session.getOrg()
    const { item } = await askSettled(
      () => versions.previewVersion({ org_slug, body }),
      (answer) => answer.item.estimate,
    )
    session.output.show(item, String(item.episode_count), [
      ['Episodes', item.episode_count],
      ['Frames', item.frame_count],
      ['Duration', formatSeconds(item.duration_sec)],
      ['Cut', item.cut && `${item.cut.frame_count} frames of ${item.cut.episode_count} episodes`],
      ['Size, about', formatBytes(item.estimated_bytes)],
      ['Splits', item.splits.map(({ name, episode_count: count }) => `${name} ${count}`)],
    ])
  },
}

async function readRecipe(session: Session, file: string | undefined, split: string | undefined): Promise<RecipeInput> {
  if (file === undefined && split === undefined)
    throw usageError('--recipe is missing. Give a file with the recipe as JSON; {} takes everything.')
  const recipe = file === undefined ? {} : await parseRecipe(session, file)
  return split === undefined ? recipe : { ...recipe, where: { ...recipe.where, splits_any: split.split(',') } }
}

async function parseRecipe(session: Session, file: string): Promise<RecipeInput> {
  const text = file === '-' ? await readText(session.stdin) : await readFile(file, 'utf8')
  try {
    return JSON.parse(text) as RecipeInput
  } catch (error) {
    throw usageError(`${file} is not JSON: ${(error as Error).message}.`)
  }
}

const showVersion = (output: Output, version: DerivedDatasetVersion): void =>
  output.show(version, version.id, [
    ['Version', `${version.org_slug}/${version.project_slug}/${version.slug} v${version.version}`],
    ['Id', version.id],
    ['Name', version.name],
    ['Status', version.status],
    ['Visibility', version.visibility],
    ['Source', `${version.source.title} (${version.source.dataset_id}, revision ${version.source.revision_number})`],
    ['Derived via', version.composition.map(({ slug, version: number }) => `${slug} v${number}`)],
    ['Episodes', version.episode_count],
    ['Frames', version.frame_count],
    [
      'Artifacts',
      version.export_artifacts.map(({ key, status, size_bytes: bytes }) =>
        `${key} ${status} ${formatBytes(bytes)}`.trim(),
      ),
    ],
    ['Notes', version.recipe.notes],
    ['Created', version.created_at],
  ])

export const versionCommands = [
  ls,
  show,
  create,
  preview,
  makeVisibility(
    'publish',
    'public',
    "Publish a version in the public catalog, even if its source is private; needs a project admin's session.",
  ),
  makeVisibility('withdraw', 'private', 'Remove a version from the public catalog.'),
  copy,
  remove,
]
