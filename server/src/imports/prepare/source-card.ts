import { opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { readCard } from '@nmp/formats/card/read-card'
import { openFolder } from '@nmp/formats/file-tree'
import type { Findings } from '@nmp/formats/finding'

const deepest = 8

/** The card beside the data; else above it, or in the one folder that everything lies in, as archives have it. */
export async function readSourceCard(
  { sourceFolder, topFolder }: { sourceFolder: string; topFolder: string },
  findings: Findings,
): Promise<DatasetCard | null> {
  for (const folder of [...listUpwards(sourceFolder, topFolder), ...(await listOnlyFolders(topFolder))]) {
    const said = findings.list.length
    const card = await readCard(await openFolder(folder, { links: 'anywhere' }), findings)
    // One that cannot be read is the card, too.
    if (card || findings.list.length > said) return card
  }
  return null
}

function listUpwards(from: string, top: string): string[] {
  const folders = [from]
  for (let folder = from; folder !== top && folder.startsWith(top); ) {
    folder = dirname(folder)
    folders.push(folder)
  }
  return folders
}

async function listOnlyFolders(top: string): Promise<string[]> {
  const folders: string[] = []
  for (let folder = top; folders.length < deepest; ) {
    const only = await findOnlyFolder(folder)
    if (only === undefined) break
    folder = join(folder, only)
    folders.push(folder)
  }
  return folders
}

async function findOnlyFolder(folder: string): Promise<string | undefined> {
  let only: string | undefined
  for await (const entry of await opendir(folder)) {
    if (only !== undefined || !entry.isDirectory()) return undefined
    only = entry.name
  }
  return only
}
