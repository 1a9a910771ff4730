import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** Whether anybody has brought data here. */
export const isEmpty = async (db: Database): Promise<boolean> => {
  const { rows } = await sql<{ isEmpty: boolean }>`
    select not exists (select 1 from datasets) and not exists (select 1 from imports) as "isEmpty"`.execute(db)
  return rows[0]?.isEmpty ?? false
}

/** The first person's own organization and its first project. */
export const findFirstPlace = async (
  db: Database,
): Promise<{ userId: string; orgId: string; projectId: string } | undefined> => {
  const { rows } = await sql<{ userId: string; orgId: string; projectId: string }>`
    select u.id as "userId", o.id as "orgId", p.id as "projectId" from users u
      join org_members m on m.user_id = u.id and m.role = 'admin'
      join organizations o on o.id = m.org_id and o.deletion_requested_at is null
      join projects p on p.org_id = o.id and p.slug = 'default'
    order by u.created_at, o.created_at limit 1`.execute(db)
  return rows[0]
}
