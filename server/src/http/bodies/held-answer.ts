import type { Buffer } from 'node:buffer'
import { sendInto } from '../../storage/serving/file-body.ts'
import { smallBody } from '../route.ts'
import type { HeldBodies } from './held-bodies.ts'
import type { SendingBody } from './send-body.ts'

/** An answer that is made whole and waits for its reader: in memory while there is room for it, otherwise in a file. */
interface HeldAnswer {
  sizeBytes: number
  body: SendingBody
}

/** What is smaller is left to the connection. */
export const heldFromBytes = smallBody.mostBytes
const memoryBytes = 4 * 1024 * 1024
const pieceBytes = 256 * 1024

export async function holdAnswer(
  outgoing: HeldBodies,
  person: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<HeldAnswer> {
  const bounds = { person, mostBytes: Number.POSITIVE_INFINITY, memoryBytes }
  const held = await outgoing.receive(pieces, bounds)
  return {
    sizeBytes: held.sizeBytes,
    async body(target) {
      try {
        await sendInto(target, held.stream())
      } finally {
        await held.close()
      }
    },
  }
}

/** For what takes long to make, and will have about so many bytes: refuses it beforehand where the person has too many that wait. */
export function requireRoom(outgoing: HeldBodies, person: string, sizeBytes: number): void {
  if (sizeBytes > memoryBytes) outgoing.requireRoom(person)
}

/** A whole text as pieces, so that it can go to a file bit by bit. */
export function* cutBytes(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.byteLength; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes)
}
