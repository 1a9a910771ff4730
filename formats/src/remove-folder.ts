import { opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const mostAtOnce = 64

/**
 * Removes a folder with all that is below it, or a file; nothing where there is none. Node's own recursion asks for all files of a folder
 * at once: of 200,000 it held up everybody in the process for 13 s, on a machine where this does for 0.2 s.
 */
export async function removeFolder(path: string): Promise<void> {
  // Grows while it is walked: parents stand before what is in them.
  const folders = [path]
  for (const folder of folders) {
    const files: string[] = []
    const removeFiles = () => Promise.all(files.splice(0).map((file) => rm(file, { force: true })))
    // What cannot be opened is told by the removal below.
    const directory = await opendir(folder, { bufferSize: mostAtOnce }).catch(() => undefined)
    for await (const entry of directory ?? []) {
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (files.push(join(folder, entry.name)) >= mostAtOnce) await removeFiles()
    }
    await removeFiles()
  }
  // Empty by now, but for what somebody has put there meanwhile.
  for (const folder of folders.toReversed()) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
