import { createKeyedLimiter } from '@nmp/formats/limiter'
import type { OrgGrant, ProjectGrant } from '../../access/access.ts'
import type { Caller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { adoptModel, findRobotKind, maxRobotBytes, type Robot, requireOwn } from '../../curation/robots/service.ts'
import { ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { stageBlob } from '../../storage/blobs.ts'
import { openPlainFile, type PlainFile } from '../sources/plain-file.ts'
import { transferLimits } from '../sources/transfer-limits.ts'

/** Somebody waits for the answer: fewer tries than a job has, and an end. */
const limits = { ...transferLimits, attempts: 2, idleMs: 15_000 }
const longestMs = 60_000
/** Each may be on its way for a minute and writes what it gets. */
const ofEach = createKeyedLimiter(2)
/** Licences and comments may come before the first element. */
const headBytes = 64 * 1024

/** Fetches the model whose address the dataset names, adds it to the project and chooses it. */
export async function useNamedRobot(
  context: Context,
  caller: Caller,
  place: { org: OrgGrant; project: ProjectGrant },
  datasetId: string,
  signal: AbortSignal,
): Promise<Robot> {
  const { dataset } = await requireOwn(context, caller, place.project, datasetId)
  const { robotDescriptionUri: uri, robotType } = dataset
  if (!uri)
    throw new ServiceError(
      'conflict',
      'The dataset names no model of its robot. Upload one, or set robot_description_uri.',
    )
  if (!/^https?:\/\//i.test(uri))
    throw new ServiceError(
      'source_not_allowed',
      `The dataset names ${uri}, which is no address of the web. Upload the model.`,
    )
  return ofEach.run(caller.userId, async () => {
    signal.throwIfAborted()
    const model = await fetchInTime(context, uri, signal)
    const name = robotType?.slice(0, 100) || model.fileName.replace(/\.\w+$/, '').slice(0, 100)
    return adoptModel(context, caller, place, datasetId, { name, ...model })
  })
}

async function fetchInTime(context: Context, uri: string, signal: AbortSignal) {
  const late = AbortSignal.timeout(longestMs)
  try {
    return await fetchModel(context, uri, AbortSignal.any([signal, late]))
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    const host = new URL(uri).hostname
    throw new ServiceError(
      'source_unavailable',
      `${host} did not send the model within ${longestMs / 1000} s. Upload it.`,
      { cause: error },
    )
  }
}

async function fetchModel(context: Context, uri: string, signal: AbortSignal) {
  const file = await openPlainFile(context, uri, { maxBytes: maxRobotBytes, signal, limits })
  const body = file.read()
  const start: Uint8Array[] = []
  for (let size = 0; size < headBytes; ) {
    const { value, done } = await body.next()
    if (done) break
    start.push(value)
    size += value.byteLength
  }
  const kind = findRobotKind(Buffer.concat(start))
  const isModel = kind === 'zip' || (kind === 'urdf' && Buffer.concat(start).includes('<robot'))
  if (!isModel) {
    await body.return(undefined)
    throw new ServiceError('source_invalid', describeStranger(file))
  }
  const { sha256, sizeBytes, storeKey } = await stageBlob(
    context.storage,
    { id: createId('rob'), epoch: 0 },
    follow(start, body),
    { signal },
  )
  return { fileName: file.name.slice(-255) || `robot.${kind}`, kind, sha256, sizeBytes, storeKey }
}

async function* follow(start: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* start
  yield* rest
}

const describeStranger = ({ host, isPage }: PlainFile): string =>
  isPage
    ? `${host} answered with a web page instead of the model. Set robot_description_uri to the address of the file itself, or upload it.`
    : `What ${host} sent is no URDF and no zip of one. Set robot_description_uri to another address, or upload the model.`
