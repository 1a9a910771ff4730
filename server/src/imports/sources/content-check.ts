import { createHash } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import type { SourceFile } from './source.ts'

/** Holds the bytes of a file, as they pass, against what the source announced. */
export interface ContentCheck {
  readonly bytes: number
  update(chunk: Uint8Array): void
  /** Whether these bytes are the ones that passed already: a second answer from the start must repeat them. */
  createPrefixCheck(): { update(chunk: Uint8Array): void; isSame(): boolean }
  /** Throws unless size and hash are as announced. */
  finish(): void
}

export const createContentCheck = (file: SourceFile): ContentCheck => {
  const isGit = file.sha256 === null && file.gitSha1 !== undefined && file.sizeBytes !== null
  const start = () => {
    if (!isGit) return createHash('sha256')
    return createHash('sha1').update(`blob ${file.sizeBytes}\0`)
  }
  const expected = isGit ? file.gitSha1 : file.sha256
  const hash = start()
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    update(chunk) {
      hash.update(chunk)
      bytes += chunk.byteLength
      if (file.sizeBytes !== null && bytes > file.sizeBytes)
        throw corrupt(`${file.path} is longer than the ${file.sizeBytes} bytes that its source announced.`)
    },
    createPrefixCheck() {
      const again = start()
      return {
        update: (chunk) => again.update(chunk),
        isSame: () => again.digest('hex') === hash.copy().digest('hex'),
      }
    },
    finish() {
      if (file.sizeBytes !== null && bytes !== file.sizeBytes)
        throw corrupt(`${file.path} ended after ${bytes} of ${file.sizeBytes} bytes.`)
      if (expected && hash.digest('hex') !== expected)
        throw corrupt(
          `${file.path} arrived with different content than its source announced (the ${isGit ? 'git hash' : 'sha256'} differs).`,
        )
    },
  }
}

const corrupt = (sentence: string): ServiceError =>
  new ServiceError('source_corrupt', `${sentence} Import it again; if that repeats, the copy at the source is damaged.`)
