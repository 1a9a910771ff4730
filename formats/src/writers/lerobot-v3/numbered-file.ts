import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** LeRobot v3 numbers files per kind: a thousand to a chunk, so that names sort as they count. */
export interface NumberedFile {
  readonly chunk: number
  readonly file: number
}

export const filesPerChunk = 1000

export function numberFile(place: number): NumberedFile {
  return { chunk: Math.floor(place / filesPerChunk), file: place % filesPerChunk }
}

/** `data/chunk-000/file-000.parquet` and the like. */
export function nameFile(folder: string, { chunk, file }: NumberedFile, extension: string): string {
  const pad = (number: number) => String(number).padStart(3, '0')
  return `${folder}/chunk-${pad(chunk)}/file-${pad(file)}.${extension}`
}

/** Absolute path of a file to be written, its folder made. */
export async function prepareFile(root: string, relative: string): Promise<string> {
  const path = join(root, relative)
  await mkdir(dirname(path), { recursive: true })
  return path
}

/** The same for very many: making sure of a folder that is there was a tenth of the time of a thousand short episodes. */
export function createFilePreparer(root: string): (relative: string) => Promise<string> {
  const made = new Set<string>()
  return async (relative) => {
    const folder = dirname(relative)
    if (made.has(folder)) return join(root, relative)
    const path = await prepareFile(root, relative)
    made.add(folder)
    return path
  }
}
