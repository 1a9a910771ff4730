import type { DerivedDatasetVersion } from '@nmp/sdk/generated/records'
import { CommandError, exitCodes } from './failures.ts'
import type { Session } from './session.ts'

export const isVersionId = (name: string): boolean => /^ver_[0-9a-f]{32}$/.test(name)

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
      `There is no ${kind} ${name} in ${org_slug}/${project_slug}; nmp versions ls lists what is derived.`,
      exitCodes.notFound,
    )
  }
  return newest
}
