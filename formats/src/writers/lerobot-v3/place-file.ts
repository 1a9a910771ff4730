import { constants } from 'node:fs'
import { copyFile, link } from 'node:fs/promises'

/** A second name for a file, or a copy of it. */
export async function placeFile(source: string, target: string, isLinked: boolean): Promise<void> {
  const isDone = isLinked && (await link(source, target).then(yes, no))
  // A file system without hard links, or another disk.
  if (!isDone) await copyFile(source, target, constants.COPYFILE_FICLONE)
}

const yes = (): boolean => true
const no = (): boolean => false
