import { findDatasetId } from './dataset-name.ts'
import { CommandError, exitCodes, usageError } from './failures.ts'
import type { Session } from './session.ts'
import { findVersion, isVersionId } from './version-name.ts'

/** The id of what `nmp diff` is to compare: an id, or a slug of the project, with `@N` for a revision of a dataset or a version of that number. */
export async function findSide(session: Session, name: string): Promise<string> {
  if (/^(ds|rev)_[0-9a-f]{32}$/.test(name) || isVersionId(name)) return name
  const [, slug = '', number] = /^([^@]+)(?:@(\d+))?$/.exec(name) ?? []
  if (slug === '')
    throw usageError(`${name} is neither an id nor DATASET, DATASET@REVISION, VERSION or VERSION@NUMBER.`)
  const dataset = await findOr(() => findDatasetId(session, slug))
  if (dataset !== undefined) return number === undefined ? dataset : findRevision(session, slug, Number(number))
  const found =
    number === undefined
      ? (await findOr(() => findVersion(session, slug)))?.id
      : await findNumbered(session, slug, Number(number))
  if (found !== undefined) return found
  const { org_slug, project_slug } = await session.getPlace()
  throw new CommandError(
    `There is neither a dataset nor a version ${name} in ${org_slug}/${project_slug}.`,
    exitCodes.notFound,
  )
}

async function findRevision(session: Session, slug: string, number: number): Promise<string> {
  const client = await session.getClient()
  const place = { ...(await session.getPlace()), dataset_slug: slug }
  for await (const revision of client.datasets.iterateDatasetRevisions(place, { signal: session.signal }))
    if (revision.number === number) return revision.id
  throw new CommandError(`The dataset ${slug} has no revision ${number}.`, exitCodes.notFound)
}

async function findNumbered(session: Session, slug: string, number: number): Promise<string | undefined> {
  const client = await session.getClient()
  for await (const version of client.versions.iterateVersions({ ...(await session.getPlace()), q: slug }))
    if (version.slug === slug && version.version === number) return version.id
  return undefined
}

async function findOr<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === exitCodes.notFound) return undefined
    throw error
  }
}
