import { createHash } from 'node:crypto'
import { programVersion } from '../config.ts'
import { computeResultDigest } from '../storage/blobs.ts'
import { writeCanonicalJson } from './canonical-json.ts'
import type { RawFile } from './fetch.ts'
import type { ImportOptions } from './request.ts'

/** Raised when the same source would be converted, measured or previewed in another way than before. */
const converterNumber = 5

/** Equal for imports that are bound to have equal results. */
export function computeSourceDigest(files: readonly RawFile[], options: ImportOptions): string {
  const content = computeResultDigest(files.map(({ path, ...file }) => ({ ...file, logicalPath: path })))
  const meaning = { content, options, converter: `${programVersion}/${converterNumber}` }
  return createHash('sha256').update(writeCanonicalJson(meaning)).digest('hex')
}
