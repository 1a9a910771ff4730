import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'
import type { RobotJoint, RobotKind } from '../tables.ts'

export interface RobotRow {
  id: string
  name: string
  fileName: string
  kind: RobotKind
  sizeBytes: number
  sha256: string
  createdBy: string | null
  createdAt: Date
}

export interface ChoiceRow {
  robotId: string
  joints: RobotJoint[]
  updatedAt: Date
}

const columns = sql.raw<RobotRow>(
  `id, name, file_name as "fileName", kind, size_bytes as "sizeBytes", sha256, created_by as "createdBy", created_at as "createdAt"`,
)

export const listRobots = async (db: Database, projectId: string): Promise<RobotRow[]> => {
  const { rows } = await sql<RobotRow>`
    select ${columns} from robots where project_id = ${projectId} order by lower(name), id`.execute(db)
  return rows
}

export const findRobot = async (db: Database, projectId: string, id: string): Promise<RobotRow | undefined> => {
  const { rows } = await sql<RobotRow>`
    select ${columns} from robots where project_id = ${projectId} and id = ${id}`.execute(db)
  return rows[0]
}

/** Undefined where the name is taken. */
export const insertRobot = async (
  trx: Transaction,
  projectId: string,
  { id, name, fileName, kind, sizeBytes, sha256, createdBy }: Omit<RobotRow, 'createdAt'>,
): Promise<RobotRow | undefined> => {
  const { rows } = await sql<RobotRow>`
    insert into robots (id, project_id, name, file_name, kind, size_bytes, sha256, created_by)
    values (${id}, ${projectId}, ${name}, ${fileName}, ${kind}, ${sizeBytes}, ${sha256}, ${createdBy})
    on conflict (project_id, name) do nothing returning ${columns}`.execute(trx)
  return rows[0]
}

export const deleteRobot = async (trx: Transaction, id: string): Promise<void> => {
  await trx.deleteFrom('robots').where('id', '=', id).execute()
}

export const findChoice = async (db: Database, datasetId: string): Promise<ChoiceRow | undefined> => {
  const { rows } = await sql<ChoiceRow>`
    select robot_id as "robotId", joints, updated_at as "updatedAt"
    from dataset_robots where dataset_id = ${datasetId}`.execute(db)
  return rows[0]
}

export const putChoice = async (
  trx: Transaction,
  { datasetId, robotId, joints, userId }: { datasetId: string; robotId: string; joints: RobotJoint[]; userId: string },
): Promise<void> => {
  await sql`
    insert into dataset_robots (dataset_id, robot_id, joints, changed_by)
    values (${datasetId}, ${robotId}, ${JSON.stringify(joints)}, ${userId})
    on conflict (dataset_id) do update set robot_id = excluded.robot_id, joints = excluded.joints,
      changed_by = excluded.changed_by, updated_at = now()`.execute(trx)
}

export const deleteChoice = async (trx: Transaction, datasetId: string): Promise<void> => {
  await trx.deleteFrom('dataset_robots').where('dataset_id', '=', datasetId).execute()
}
