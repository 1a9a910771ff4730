import type { FileHandle } from 'node:fs/promises'
import { ServiceError } from '../../errors.ts'
import { openNameless, ReceivedBody } from './received-body.ts'

/**
 * Bodies that wait: requests for their last byte, answers for who reads them. Clients who never finish hold little memory, and one
 * person not all of the disk.
 */
export interface HeldBodies {
  receive(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, bounds: ReceiveBounds): Promise<ReceivedBody>
  /** Refuses, before it is made, what `receive` would refuse: one more large body of a person who has too many. */
  requireRoom(person: string): void
}

export interface ReceiveBounds {
  /** Whose body it is, for what one person may have on the way. */
  person: string
  mostBytes: number
  /** What comes beyond these goes to a file. */
  memoryBytes: number
}

interface HeldOptions {
  folder: string
  /** What all small bodies together may take of the memory; where it is used up, the next ones go to files too. */
  budgetBytes: number
  /** What they are called when one person has too many. */
  noun: 'requests' | 'answers'
}

/** Large bodies of one person, and their bytes, that arrive or wait at a time. */
const mostLargeBodies = 32
const mostLargeBytes = 1024 * 1024 * 1024

interface Held {
  bodies: number
  bytes: number
}

export function createHeldBodies({ folder, budgetBytes, noun }: HeldOptions): HeldBodies {
  const byPerson = new Map<string, Held>()
  let inMemory = 0

  const requireRoom = (person: string): void => {
    if ((byPerson.get(person)?.bodies ?? 0) >= mostLargeBodies) throw tooMany(noun)
  }

  const count = (person: string, sizeBytes: number): Held => {
    requireRoom(person)
    const held = byPerson.get(person) ?? { bodies: 0, bytes: 0 }
    byPerson.set(person, held)
    held.bodies++
    held.bytes += sizeBytes
    return held
  }

  return {
    requireRoom,
    async receive(source, { person, mostBytes, memoryBytes }) {
      const pieces: Buffer[] = []
      let [sizeBytes, ownMemory] = [0, 0]
      let file: FileHandle | undefined
      let counted: Held | undefined
      const release = (): void => {
        inMemory -= ownMemory
        ownMemory = 0
        if (!counted) return
        counted.bodies--
        counted.bytes -= sizeBytes
        if (counted.bodies === 0) byPerson.delete(person)
        counted = undefined
      }
      const toFile = async (): Promise<void> => {
        file ??= await openNameless(folder)
        for (const piece of pieces.splice(0)) await file.write(piece)
        inMemory -= ownMemory
        ownMemory = 0
      }
      try {
        for await (const piece of source) {
          sizeBytes += piece.byteLength
          if (counted) counted.bytes += piece.byteLength
          if (sizeBytes > mostBytes) throw bodyTooLarge(mostBytes)
          if (counted && counted.bytes > mostLargeBytes) throw tooMany(noun)
          pieces.push(piece)
          ownMemory += piece.byteLength
          inMemory += piece.byteLength
          if (!counted && sizeBytes <= memoryBytes && inMemory <= budgetBytes) continue
          counted ??= count(person, sizeBytes)
          await toFile()
        }
        return new ReceivedBody(sizeBytes, { pieces, file }, release)
      } catch (error) {
        release()
        await file?.close()
        throw error
      }
    },
  }
}

const tooMany = (noun: HeldOptions['noun']): ServiceError =>
  new ServiceError(
    'too_many_requests',
    `${mostLargeBodies} large ${noun} of yours, or ${mostLargeBytes} bytes of them, are on the way. Wait for one to end.`,
    // What is still to come is not read.
    { retryAfterSeconds: 1, headers: { connection: 'close' } },
  )

export const bodyTooLarge = (mostBytes: number): ServiceError =>
  new ServiceError('body_too_large', `The body is larger than the ${mostBytes} bytes that this route accepts.`, {
    headers: { connection: 'close' },
  })
