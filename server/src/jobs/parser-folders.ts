import { lstat, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '@nmp/formats/remove-folder'

/** Where parsers, encoders and the media routes keep files, by the beginnings of their names; each removes its own unless it is killed. */
const names = /^nmp-(push|clip|duckdb|hdf5|codec|media)-[A-Za-z0-9]{6}$/
/** No step of reading a file may take longer than a day, and who keeps a folder longer touches it, so nobody uses what is older. */
const oldestHours = 25

/** Removes what killed processes of this account left in the folder for temporary files, or in another. */
export async function sweepParserFolders(root = tmpdir(), now = Date.now()): Promise<number> {
  let removed = 0
  for (const name of (await readdir(root).catch(() => [])).filter((one) => names.test(one))) {
    const path = join(root, name)
    const found = await lstat(path).catch(() => undefined)
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue
    if (now - found.mtimeMs < oldestHours * 3_600_000) continue
    await removeFolder(path)
    removed += 1
  }
  return removed
}
