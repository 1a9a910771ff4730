import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** Something of an organization that has a slug, and where it lives. */
export interface NamedThing {
  kind: 'dataset' | 'version'
  /** Of the dataset; of the newest version. */
  id: string
  projectSlug: string
}

const mostNamesakes = 100

/** Datasets and versions of this slug, in one project or in all of the organization's. Who may see them is not asked here. */
export const listNamed = async (
  db: Database,
  orgSlug: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<NamedThing[]> => {
  const { rows } = await sql<NamedThing>`
    with place as (
      select project.id, project.slug from projects project join organizations org on org.id = project.org_id
      where org.slug = ${orgSlug} and (${projectSlug ?? null}::text is null or project.slug = ${projectSlug ?? null})
    )
    select 'dataset' as kind, dataset.id, place.slug as "projectSlug"
    from datasets dataset join place on place.id = dataset.project_id
    where dataset.slug = ${slug} and dataset.current_revision_id is not null and dataset.deletion_requested_at is null
    union all
    select * from (
      select distinct on (place.slug) 'version' as kind, version.id, place.slug as "projectSlug"
      from versions version join place on place.id = version.project_id
      where version.slug = ${slug} order by place.slug, version.version desc
    ) newest
    limit ${mostNamesakes}`.execute(db)
  return rows
}
