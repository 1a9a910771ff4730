import type { OrgGrant, ProjectGrant } from '../../access/access.ts'
import type { Caller, Principal } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { findReadable } from '../../datasets/service.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { findSoundBlob, openBlob, publishBlobs } from '../../storage/blobs.ts'
import { lockUsage, quotaOf, requireRoom } from '../../storage/quota.ts'
import { findFinishedUpload } from '../../uploads/service.ts'
import type { RobotJoint, RobotKind } from '../tables.ts'
import * as repository from './repository.ts'

export type Robot = repository.RobotRow
export type Choice = repository.ChoiceRow

export const maxRobotBytes = 64 * 1024 * 1024
const maxRobots = 50
const content = 'content'
const ownerOf = (id: string, orgId: string) => ({ kind: 'robot', id, orgId })

export const listRobots = (db: Database, project: ProjectGrant): Promise<Robot[]> =>
  repository.listRobots(db, project.id)

async function getRobot(db: Database, project: ProjectGrant, id: string): Promise<Robot> {
  const robot = await repository.findRobot(db, project.id, id)
  if (!robot) throw notFound()
  return robot
}

interface Place {
  org: OrgGrant
  project: ProjectGrant
}

/** Of a finished upload, whose content stays as it is: nothing of it is parsed here beyond its first bytes. */
export async function createRobot(
  context: Context,
  caller: Caller,
  { org, project }: Place,
  { name, uploadId }: { name: string; uploadId: string },
): Promise<Robot> {
  const upload = await findFinishedUpload(context.db, caller, uploadId)
  if (!upload) throw invalidValue(['body', 'upload_id'], 'name a finished upload of yours', uploadId)
  const { sizeBytes, sha256, path } = upload
  if (sizeBytes > maxRobotBytes)
    throw invalidValue(['body', 'upload_id'], `a robot model has at most ${maxRobotBytes} bytes`, sizeBytes)
  const kind = await findUploadKind(context, uploadId)
  if (!kind) throw invalidValue(['body', 'upload_id'], 'send a URDF (XML), or a zip of one with its mesh files', path)
  const fileName = path.slice(path.lastIndexOf('/') + 1).slice(-255)
  return inTransaction(context.db, async (trx) => {
    await lockUsage(trx, org.id)
    const model = { name, fileName, kind, sizeBytes, sha256 }
    return (await insertModel(context, trx, caller, { org, project }, model)).robot
  })
}

interface Model {
  name: string
  fileName: string
  kind: RobotKind
  sizeBytes: number
  sha256: string
  /** Where it was written, for content that nothing has yet. */
  storeKey?: string
}

/** With the organization's usage locked. */
async function insertModel(context: Context, trx: Transaction, caller: Caller, { org, project }: Place, model: Model) {
  const { name, fileName, kind, sizeBytes, sha256, storeKey } = model
  if ((await repository.listRobots(trx, project.id)).length >= maxRobots)
    throw new ServiceError('conflict', `A project has at most ${maxRobots} robot models. Delete one first.`)
  await requireRoom(trx, quotaOf(context.config, org.id, 'upload'), sizeBytes)
  const id = createId('rob')
  const given = { id, name, fileName, kind, sizeBytes, sha256, createdBy: caller.userId }
  const robot = await repository.insertRobot(trx, project.id, given)
  if (!robot)
    throw new ServiceError(
      'conflict',
      `The project has a robot model called ${name}. Delete it, or choose another name.`,
    )
  const { redundantKeys } = await publishBlobs(trx, ownerOf(id, org.id), [
    { logicalPath: content, sha256, sizeBytes, ...(storeKey === undefined ? {} : { storeKey }) },
  ])
  await record(trx, caller, org, { action: 'robot.create', id, detail: { name, size_bytes: sizeBytes } })
  return { robot, redundantKeys }
}

/**
 * A model from elsewhere as that of a dataset: one of the same content stays the only one, a name that is taken gets a number. What was
 * written and is not needed, or refused, is removed at once: it is in nobody's quota.
 */
export async function adoptModel(
  context: Context,
  caller: Caller,
  place: Place,
  datasetId: string,
  model: Model & { storeKey: string },
): Promise<Robot> {
  const remove = (key: string): Promise<void> => context.storage.deleteObject(key)
  try {
    const { robot, redundantKeys } = await inTransaction(context.db, async (trx) => {
      await lockUsage(trx, place.org.id)
      const others = await repository.listRobots(trx, place.project.id)
      const taken = new Set(others.map(({ name }) => name.toLowerCase()))
      let name = model.name
      for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${model.name.slice(0, 96)} ${number}`
      const known = others.find(({ sha256 }) => sha256 === model.sha256)
      const adopted = known
        ? { robot: known, redundantKeys: [model.storeKey] }
        : await insertModel(context, trx, caller, place, { ...model, name })
      await choose(trx, caller, place.org, datasetId, { robotId: adopted.robot.id, joints: [] })
      return adopted
    })
    for (const key of redundantKeys) await remove(key)
    return robot
  } catch (error) {
    // After any other failure the row may be there, and needs it.
    if (error instanceof ServiceError) await remove(model.storeKey)
    throw error
  }
}

const zipMark = Buffer.from('PK\u0003\u0004', 'latin1')

/** By its first bytes: an archive, or text that begins as XML does. */
export function findRobotKind(start: Buffer): RobotKind | undefined {
  if (start.subarray(0, 4).equals(zipMark)) return 'zip'
  return start.toString('utf8').replace('\ufeff', '').trimStart().startsWith('<') ? 'urdf' : undefined
}

async function findUploadKind({ db, storage }: Context, uploadId: string): Promise<RobotKind | undefined> {
  const blob = await findSoundBlob(db, { kind: 'upload', id: uploadId }, content)
  if (!blob) return undefined
  const range = { start: 0, end: Math.min(blob.sizeBytes, 512) }
  const parts: Uint8Array[] = []
  for await (const part of (await storage.getObject(blob.storeKey, { range })).body) parts.push(part)
  return findRobotKind(Buffer.concat(parts))
}

export async function openRobotFile(
  { db, storage }: Context,
  { org, project }: Place,
  id: string,
  signal: AbortSignal,
) {
  const robot = await getRobot(db, project, id)
  const { body } = await openBlob(db, storage, ownerOf(id, org.id), content, { signal })
  return { robot, body }
}

/** Datasets that had chosen it have no model afterwards; its content goes by a trigger, as when its project goes. */
export const deleteRobot = (db: Database, caller: Caller, { org, project }: Place, id: string): Promise<Robot> =>
  inTransaction(db, async (trx) => {
    const robot = await getRobot(trx, project, id)
    await repository.deleteRobot(trx, id)
    await record(trx, caller, org, { action: 'robot.delete', id, detail: { name: robot.name } })
    return robot
  })

/** A dataset or version of this project; one of another is not there. */
export async function requireOwn(context: Context, principal: Principal, project: ProjectGrant, datasetId: string) {
  const seen = await findReadable(context, principal, datasetId)
  if (seen.project.id !== project.id) throw notFound()
  return seen
}

export async function findChoice(
  context: Context,
  principal: Principal,
  project: ProjectGrant,
  datasetId: string,
): Promise<Choice | undefined> {
  await requireOwn(context, principal, project, datasetId)
  return repository.findChoice(context.db, datasetId)
}

/** Without a model the dataset goes back to the one that is called as its robot. */
export async function putChoice(
  context: Context,
  caller: Caller,
  { org, project }: Place,
  datasetId: string,
  { robotId, joints }: { robotId: string | null; joints: RobotJoint[] },
): Promise<Choice | undefined> {
  await requireOwn(context, caller, project, datasetId)
  return inTransaction(context.db, async (trx) => {
    if (robotId !== null && !(await repository.findRobot(trx, project.id, robotId)))
      throw invalidValue(['body', 'robot_id'], 'name a robot model of this project', robotId)
    await choose(trx, caller, org, datasetId, { robotId, joints })
    return repository.findChoice(trx, datasetId)
  })
}

async function choose(
  trx: Transaction,
  caller: Caller,
  org: OrgGrant,
  datasetId: string,
  { robotId, joints }: { robotId: string | null; joints: RobotJoint[] },
): Promise<void> {
  if (robotId === null) await repository.deleteChoice(trx, datasetId)
  else await repository.putChoice(trx, { datasetId, robotId, joints, userId: caller.userId })
  await record(trx, caller, org, { action: 'robot.choose', id: robotId ?? datasetId, detail: { dataset: datasetId } })
}

const record = (
  trx: Transaction,
  caller: Caller,
  org: OrgGrant,
  { action, id, detail }: { action: string; id: string; detail: Record<string, unknown> },
) => recordAudit(trx, caller, { action, resource: { kind: 'robot', id }, orgId: org.id, detail })
