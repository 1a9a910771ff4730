import { createHash } from 'node:crypto'
import { writeCanonicalJson } from '../../canonical-json.ts'
import { programVersion } from '../../config.ts'
import { computeResultDigest } from '../../storage/blobs.ts'
import type { ImportRow } from '../repository.ts'
import type { RawFile } from './fetch.ts'

/** Raised when the same source would be converted, measured or previewed in another way than before. */
const converterNumber = 5

/** Equal for imports that are bound to have equal results. A copy takes its card from the version and not from its files. */
export function computeSourceDigest(
  files: readonly RawFile[],
  { options, copiedFrom }: Pick<ImportRow, 'options' | 'copiedFrom'>,
): string {
  const content = computeResultDigest(files.map(({ path, ...file }) => ({ ...file, logicalPath: path })))
  const converter = `${programVersion}/${converterNumber}`
  const meaning = { content, options, converter, ...(copiedFrom ? { isCopy: true } : {}) }
  return createHash('sha256').update(writeCanonicalJson(meaning)).digest('hex')
}
