import type { Session } from './session.ts'

/** A dataset by its id, or by its slug in the project at hand. */
export async function findDatasetId(session: Session, name: string): Promise<string> {
  if (/^ds_[0-9a-f]{32}$/.test(name)) return name
  const client = await session.getClient()
  const { item } = await client.datasets.getProjectDataset({ ...(await session.getPlace()), dataset_slug: name })
  return item.id
}
