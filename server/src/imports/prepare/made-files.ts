import { lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { FormatError } from '@nmp/formats/errors'

/**
 * Where a file lies that the process which read the source says it has made. What it says may be the words of a hostile file, and what is
 * found there is published: so nothing but a file, in the folder itself, and no link on the way.
 */
export async function locateMade(folder: string, path: string): Promise<string> {
  const root = await realpath(folder)
  const place = join(root, path)
  const isInside = place.startsWith(root + sep) && (await realpath(place)) === place
  if (isInside && (await lstat(place)).isFile()) return place
  const sentence =
    'The process that read the source named a file that it has not made; the source is damaged or malicious.'
  throw new FormatError('source_file_crashes_parser', sentence)
}
