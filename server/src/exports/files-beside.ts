import type { WrittenFile } from '@nmp/formats/writers/writer'
import { createPlaceCheck, isFileBeside } from '../datasets/file-beside.ts'
import type { StoredFile } from '../datasets/stored-files.ts'

/** Exports have a card of their own. */
export const cardPath = 'README.md'

/**
 * Files of the source that an export carries as they are, where it writes none of that name: licence, calibration, notes. A recipe
 * changes nothing in them.
 */
export function selectFilesBeside(stored: Iterable<StoredFile>, written: readonly WrittenFile[]): StoredFile[] {
  const hasPlace = createPlaceCheck([...written, { path: cardPath }])
  return [...stored].filter(({ path }) => hasPlace(path) && isFileBeside(path, { isLeRobot: true }))
}
