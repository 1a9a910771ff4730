import { mkdir, readdir } from 'node:fs/promises'
import { FormatError } from '../errors.ts'

/** Writers never mix what they make with what is there. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0)
    throw new FormatError('output_exists', `${folder} is not empty; choose a new folder.`)
}
