import { constants } from 'node:fs'
import { copyFile, link, open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createLimiter } from '../../limiter.ts'
import type { WrittenFile } from '../writer.ts'

/** A core is left for who goes through the rows meanwhile: with two copies at once on two cores that took a third longer. */
const copies = createLimiter(Math.max(1, availableParallelism() - 1))

/** A second name for a file, or a copy of it. */
export async function placeFile(source: string, target: string, isLinked: boolean): Promise<void> {
  const isDone = isLinked && (await link(source, target).then(yes, no))
  // A file system without hard links, or another disk.
  if (!isDone) await copies.run(() => copyFile(source, target, constants.COPYFILE_FICLONE))
}

/** Returns when files are on the disk that were written without waiting for it. */
export async function waitForDisk(folder: string, files: readonly WrittenFile[]): Promise<void> {
  for (const { path } of files) {
    await using file = await open(join(folder, path), 'r+')
    await file.sync()
  }
}

const yes = (): boolean => true
const no = (): boolean => false
