import type { DerivedDatasetVersion } from '@nmp/sdk/generated/records'
import { CommandError, exitCodes, usageError } from './failures.ts'
import type { Session } from './session.ts'

export const isVersionId = (name: string): boolean => /^ver_[0-9a-f]{32}$/.test(name)

/** As `ORG/VERSION`, by its id or by a slug that one project of the organization has; else as `findVersion`. */
export async function findVersionAnywhere(
  session: Session,
  name: string,
): Promise<{ org_slug: string; version_id: string }> {
  const [called = '', org_slug, ...more] = name.split('/').reverse()
  if (more.length > 0) throw usageError(`A version is named VERSION or ORG/VERSION, not ${name}.`)
  if (org_slug === undefined) {
    const { org_slug: own, id } = await findVersion(session, called)
    return { org_slug: own, version_id: id }
  }
  // Whoever sees a published version need not be of its organization, where alone it can be looked up.
  if (isVersionId(called)) return { org_slug, version_id: called }
  const found: DerivedDatasetVersion[] = []
  for await (const version of (await session.getClient()).versions.iterateVersions({ org_slug, q: called }))
    if (version.slug === called) found.push(version)
  const [newest] = found.sort((one, other) => other.version - one.version)
  if (!newest) throw new CommandError(`There is no version ${called} in ${org_slug}.`, exitCodes.notFound)
  if (found.some(({ project_slug: project }) => project !== newest.project_slug))
    throw usageError(`Several projects of ${org_slug} have a version ${called}. Name it by its id.`)
  return { org_slug, version_id: newest.id }
}

/** A version by its id, or the newest of a slug in the project at hand. */
export async function findVersion(
  session: Session,
  name: string,
  /** What else it might have been. */
  kind = 'version',
): Promise<DerivedDatasetVersion> {
  const client = await session.getClient()
  if (isVersionId(name)) {
    const org_slug = await session.getOrg()
    return (await client.versions.getDerivedVersion({ org_slug, version_id: name })).item
  }
  let newest: DerivedDatasetVersion | undefined
  for await (const version of client.versions.iterateVersions({ ...(await session.getPlace()), q: name })) {
    if (version.slug === name && version.version > (newest?.version ?? 0)) newest = version
  }
  if (!newest) {
    const { org_slug, project_slug } = await session.getPlace()
    throw new CommandError(
      `There is no ${kind} ${name} in ${org_slug}/${project_slug}; nmp versions ls lists the versions.`,
      exitCodes.notFound,
    )
  }
  return newest
}
