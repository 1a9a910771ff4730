import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '../../errors.ts'
import type { NameGuard } from '../sources/file-names.ts'

export interface ExpandOptions {
  signal: AbortSignal
  /** Of all archives together, unpacked. */
  maxBytes: number
  maxFiles: number
  onBytes?: (count: number) => void
}

/** What is left of the bounds that all archives of a folder share. */
export interface Budget {
  bytes: number
  files: number
  emptyFiles: number
}

export interface Entry {
  name: string
  /** As the archive declares it; more than that never gets written. */
  sizeBytes: number
  body: AsyncIterable<Uint8Array>
}

/** Writes what an archive holds, within its bounds. A reader of a kind of archive knows nothing of the disk. */
export interface Unpacking {
  readonly archive: string
  readonly signal: AbortSignal
  addFolder(name: string): void
  addFile(entry: Entry): Promise<void>
  /** Throws when an archive says that it holds more than is left. */
  checkCount(files: number): void
  /** Throws when too many bytes come out of too few. */
  checkRatio(packedBytes: number, unpackedBytes: number): void
}

/** A deflate stream can make a thousand bytes of one; data of robots does not come near a hundred. */
const maxRatio = 100
const ratioFromBytes = 10_000_000

interface UnpackingPlace {
  folder: string
  /** The archive, relative to the folder. */
  archive: string
  names: NameGuard
  budget: Budget
}

export const createUnpacking = (
  { folder, archive, names, budget }: UnpackingPlace,
  options: ExpandOptions,
): Unpacking => {
  const { signal, maxBytes, maxFiles, onBytes } = options
  const beside = archive.slice(0, archive.lastIndexOf('/') + 1)
  const tooLarge = (): ServiceError =>
    new ServiceError(
      'archive_too_large',
      `${archive} unpacks to more than the ${maxBytes} bytes that this import has left.`,
    )
  const made = new Set<string>()

  const checkRatio: Unpacking['checkRatio'] = (packedBytes, unpackedBytes) => {
    if (unpackedBytes > ratioFromBytes && unpackedBytes > packedBytes * maxRatio)
      throw new ServiceError(
        'archive_too_large',
        `${archive} unpacks to more than ${maxRatio} times its size, like an archive made to fill a disk. Upload the files without an archive.`,
      )
  }

  const checkCount: Unpacking['checkCount'] = (files) => {
    if (files > budget.files)
      throw new ServiceError(
        'archive_too_large',
        `${archive} contains more than the ${maxFiles} files allowed in one import.`,
      )
  }

  const count = (): void => {
    checkCount(1)
    budget.files -= 1
  }

  const countEmpty = (): void => {
    budget.emptyFiles -= 1
    if (budget.emptyFiles < 0)
      throw new ServiceError(
        'archive_too_large',
        `${archive} contains very many empty files, like an archive made to fill a disk. Leave them out, or upload the files without an archive.`,
      )
  }

  return {
    archive,
    signal,
    checkCount,
    checkRatio,
    addFolder(name) {
      count()
      const path = trimName(name)
      if (path === '' || isDebris(path)) return
      names.addFolder(beside + path)
    },
    async addFile({ name, sizeBytes, body }) {
      const path = trimName(name)
      const isSkipped = isDebris(path)
      count()
      if (sizeBytes === 0) countEmpty()
      if (!isSkipped) names.addFile(beside + path)
      if (sizeBytes > budget.bytes) throw tooLarge()
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of body) {
          budget.bytes -= chunk.byteLength
          if (budget.bytes < 0) throw tooLarge()
          onBytes?.(chunk.byteLength)
          yield chunk
        }
      }
      if (isSkipped) {
        for await (const _ of counted()) signal.throwIfAborted()
        return
      }
      const target = join(folder, beside + path)
      const parent = dirname(target)
      if (!made.has(parent)) await mkdir(parent, { recursive: true })
      made.add(parent)
      await pipeline(counted, createWriteStream(target, { flags: 'wx', mode: 0o644 }), { signal })
    },
  }
}

/** `./meta/` as tar writes it is `meta`. */
const trimName = (name: string): string =>
  name
    .replace(/^(?:\.\/+)+/, '')
    .replace(/^\.$/, '')
    .replace(/(?<=[^/])\/$/, '')

/** What macOS puts beside each file. */
const isDebris = (path: string): boolean => /(^|\/)(__MACOSX\/|\._[^/]*$|\.DS_Store$)/.test(path)

export const refuseArchive = (archive: string, fault: string, cause?: unknown): ServiceError =>
  new ServiceError('archive_invalid', `${archive} cannot be unpacked: ${fault}`, { cause })
