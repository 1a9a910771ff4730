import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

const MB = 1_000_000
/** A new database takes 40 MB before its first table (`du`); one that is there writes a segment of its log (17 MB) and what it plays back. */
const neededBytes = { new: 128 * MB, existing: 34 * MB }

/** Refuses a full disk before anything is written to it: PostgreSQL would end in the middle of its start and say so in its own words. */
export async function requireStartRoom(folder: string, what: keyof typeof neededBytes): Promise<void> {
  const { bavail, blocks, bsize } = await lookAtDisk(folder)
  const freeBytes = bavail * bsize
  // A file system without a size has no end.
  if (blocks === 0 || freeBytes >= neededBytes[what]) return
  throw new Error(
    `The disk of ${folder} is full: ${Math.floor(freeBytes / MB)} MB are free, and the embedded database needs ${neededBytes[what] / MB} MB to start. Make room, or set NMP_DATA_DIR to a folder on another disk.`,
  )
}

/** Of the folder, or of the nearest one above it that is there. */
async function lookAtDisk(folder: string): Promise<{ bavail: number; blocks: number; bsize: number }> {
  return statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return lookAtDisk(dirname(folder))
    throw new Error(`The data folder ${folder} cannot be used: ${error.message}. Correct NMP_DATA_DIR.`, {
      cause: error,
    })
  })
}
