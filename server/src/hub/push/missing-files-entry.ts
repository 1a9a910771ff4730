/**
 * `missing-files-entry.ts FOLDER PATHS`: prints the first file that the metadata in FOLDER names and that the list PATHS, a JSON file,
 * does not have. A process of its own, since what was pushed may do anything to a parser.
 */
import { readFile } from 'node:fs/promises'
import { parseHere } from '@nmp/formats/child/confinement'
import { FormatError } from '@nmp/formats/errors'
import { openFolder } from '@nmp/formats/file-tree'
import { listNamedFiles } from '@nmp/formats/lerobot/named-files'
import type { NamedFilesAnswer } from './missing-files.ts'

parseHere()

const [folder = '', paths = ''] = process.argv.slice(2)
const present = new Set<string>(JSON.parse(await readFile(paths, 'utf8')))

async function look(): Promise<NamedFilesAnswer> {
  try {
    for await (const path of listNamedFiles(await openFolder(folder))) if (!present.has(path)) return { missing: path }
    return {}
  } catch (error) {
    if (error instanceof FormatError) return { unreadable: error.message }
    throw error
  }
}
process.stdout.write(JSON.stringify(await look()))
