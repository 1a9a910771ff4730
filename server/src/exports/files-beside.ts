import type { WrittenFile } from '@nmp/formats/writers/writer'
import { isFileBeside } from '../datasets/file-beside.ts'
import type { StoredFile } from '../datasets/stored-files.ts'

/** Exports have a card of their own. */
const cardPath = 'README.md'

/**
 * Files of the source that an export carries as they are, where it writes none of that name: licence, calibration, notes. A recipe
 * changes nothing in them.
 */
export function selectFilesBeside(stored: Iterable<StoredFile>, written: readonly WrittenFile[]): StoredFile[] {
  const taken = new Set(written.map(({ path }) => path)).add(cardPath)
  return [...stored].filter(({ path }) => !taken.has(path) && isFileBeside(path, { isLeRobot: true }))
}
