import { ApiError } from '@nmp/sdk/client'
import { CommandError, exitCodes } from './failures.ts'
import type { Session } from './session.ts'

/** A dataset by its id, or by its slug in the project at hand. */
export async function findDatasetId(session: Session, name: string): Promise<string> {
  if (/^ds_[0-9a-f]{32}$/.test(name)) return name
  const place = await session.getPlace()
  try {
    const client = await session.getClient()
    return (await client.datasets.getProjectDataset({ ...place, dataset_slug: name })).item.id
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    throw new CommandError(
      `There is no dataset ${name} in ${place.org_slug}/${place.project_slug}; nmp datasets ls lists them.`,
      exitCodes.notFound,
      error,
    )
  }
}
