import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { CameraTraces } from '@nmp/formats/checks/camera-traces'
import type { SeenPictures } from '@nmp/formats/checks/run'
import type { Episode } from '@nmp/formats/dataset'
import { inTransaction } from '../db/database.ts'
import type { JobRun } from '../jobs/handler.ts'
import { lockClaim } from '../jobs/statements/lock-claim.ts'
import type { CheckSubject } from './repository.ts'
import * as repository from './repository.ts'

const [pack, unpack] = [promisify(gzip), promisify(gunzip)]
const columns = ['brightness', 'contrast', 'burnt', 'sharpness', 'change'] as const
const headerBytes = 4

/**
 * What was measured in the pictures of each episode, kept as it is measured: a run that was killed goes on after it, and so does one
 * of a later revision where the episode is the same. `identify` names an episode by what it
 * is, given its number; undefined where it cannot be told.
 */
export function openSeenPictures(
  { db, claim }: JobRun,
  subject: CheckSubject,
  identify: (episodeIndex: number) => Buffer | undefined,
): SeenPictures {
  let last: { episodeIndex: number; cameras: Map<string, CameraTraces> } | undefined
  const read = async ({ sourceIndex }: Episode, position: number): Promise<Map<string, CameraTraces>> => {
    if (last?.episodeIndex === sourceIndex) return last.cameras
    const identity = identify(sourceIndex)
    const bytes = identity && (await repository.findTraces(db, subject, identity))
    const cameras = new Map<string, CameraTraces>()
    if (bytes) for (const traces of await unpackTraces(bytes, position)) cameras.set(traces.camera, traces)
    last = { episodeIndex: sourceIndex, cameras }
    return cameras
  }
  return {
    find: async (episode, position, camera) => {
      const found = (await read(episode, position)).get(camera)
      return found?.brightness.length === episode.length ? found : undefined
    },
    keep: async (episode, position, fresh) => {
      const identity = identify(episode.sourceIndex)
      if (!identity) return
      const cameras = new Map(await read(episode, position))
      for (const traces of fresh) cameras.set(traces.camera, traces)
      const bytes = await packTraces([...cameras.values()])
      await inTransaction(db, async (trx) => {
        if (await lockClaim(trx, claim)) await repository.putTraces(trx, subject, identity, bytes)
      })
    },
  }
}

/** For an episode of a version, which never changes. */
export const identifyByPlace = (subject: CheckSubject, episodeIndex: number): Buffer =>
  createHash('sha256').update(`${subject.id} ${episodeIndex}`).digest()

export async function packTraces(list: readonly CameraTraces[]): Promise<Buffer> {
  const header = Buffer.from(
    JSON.stringify(list.map(({ camera, frames, brightness }) => ({ camera, frames, length: brightness.length }))),
  )
  const size = Buffer.alloc(headerBytes)
  size.writeUInt32LE(header.length)
  const parts = list.flatMap((traces) => [
    ...columns.map((name) => Buffer.from(traces[name].buffer, traces[name].byteOffset, traces[name].byteLength)),
    // The rules round it themselves.
    Buffer.from(Uint8Array.from(traces.scene, Math.round)),
  ])
  return pack(Buffer.concat([size, header, ...parts]))
}

export async function unpackTraces(bytes: Buffer, position: number): Promise<CameraTraces[]> {
  const all = await unpack(bytes)
  const start = headerBytes + all.readUInt32LE(0)
  const list: { camera: string; frames: number; length: number }[] = JSON.parse(
    all.subarray(headerBytes, start).toString('utf8'),
  )
  let at = start
  const take = (byteLength: number): ArrayBuffer => {
    const part = new Uint8Array(byteLength)
    part.set(all.subarray(at, at + byteLength))
    at += byteLength
    return part.buffer
  }
  const sceneBytes = list.length === 0 ? 0 : (all.length - start - sumColumns(list)) / list.length
  return list.map(({ camera, frames, length }) => {
    const [brightness, contrast, burnt, sharpness, change] = columns.map(() => new Float32Array(take(4 * length))) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    const scene = Float32Array.from(new Uint8Array(take(sceneBytes)))
    return { position, camera, frames, brightness, contrast, burnt, sharpness, change, scene }
  })
}

const sumColumns = (list: readonly { length: number }[]): number =>
  list.reduce((sum, { length }) => sum + 4 * columns.length * length, 0)
