import { ApiError } from '@nmp/sdk/client'
import { CommandError, exitCodes } from './failures.ts'
import type { Session } from './session.ts'

/** A dataset by its id, or by its slug in the project at hand. */
export async function findDatasetId(session: Session, name: string): Promise<string> {
  if (/^ds_[0-9a-f]{32}$/.test(name)) return name
  const { org_slug, project_slug } = await session.getPlace()
  const found = await tryDatasetId(session, name)
  if (found) return found
  throw new CommandError(
    `There is no dataset ${name} in ${org_slug}/${project_slug}; nmp datasets ls lists them.`,
    exitCodes.notFound,
  )
}

/** The same, where it may also be something else. */
export async function tryDatasetId(session: Session, slug: string): Promise<string | undefined> {
  const client = await session.getClient()
  try {
    const { item } = await client.datasets.getProjectDataset({ ...(await session.getPlace()), dataset_slug: slug })
    return item.id
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
