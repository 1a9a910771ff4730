import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { listPaths } from '@nmp/formats/file-tree'
import { ServiceError } from '../../errors.ts'
import { createNameGuard } from '../sources/file-names.ts'
import { unpackTar } from './tar.ts'
import { type Budget, createUnpacking, type ExpandOptions, refuseArchive } from './unpacking.ts'
import { unpackZip } from './zip.ts'

/** No recorder writes files without a byte; six hundred thousand of them are 3.7 MB of archive and minutes of work for a disk. */
const mostEmptyFiles = 2000
const archiveName = /\.(?:(tar|tar\.gz|tgz)|zip)$/i

/**
 * Replaces every archive of a folder by what it holds, beside it. Archives inside archives stay files, and so do those that lie
 * beside a LeRobot dataset that needs none of them. When it throws, the folder holds a part of the content: throw it away.
 */
export const expandArchives = async (folder: string, options: ExpandOptions): Promise<void> => {
  const paths = await listPaths(folder, 2 * options.maxFiles)
  const archives = paths.filter((path) => archiveName.test(path)).sort()
  if (archives.length === 0 || isWholeDataset(paths)) return
  const names = createNameGuard(archives.length === 1 ? (archives[0] ?? '') : 'The set of archives')
  for (const path of paths) names.addFile(path)
  const budget: Budget = { bytes: options.maxBytes, files: options.maxFiles, emptyFiles: mostEmptyFiles }
  for (const archive of archives) {
    options.signal.throwIfAborted()
    const unpacking = createUnpacking({ folder, archive, names, budget }, options)
    const unpack = archiveName.exec(archive)?.[1] === undefined ? unpackZip : unpackTar
    await unpack(join(folder, archive), unpacking).catch((error) => {
      options.signal.throwIfAborted()
      throw explainFault(archive, error)
    })
    await rm(join(folder, archive))
  }
}

const isWholeDataset = (paths: readonly string[]): boolean =>
  paths.includes('meta/info.json') && paths.some((path) => /^data\/.*\.parquet$/.test(path))

/** A fault of the disk is no fault of the archive; what a reader of archives says is, and its words may quote the file. */
const explainFault = (archive: string, error: unknown): unknown => {
  if (error instanceof ServiceError) return error
  if (error instanceof Error && 'syscall' in error) return error
  const isName =
    error instanceof Error && /relative path|absolute path|invalid characters in fileName/i.test(error.message)
  if (isName)
    return new ServiceError(
      'invalid_path',
      `${archive} contains a file whose name leads outside its folder or has a backslash. Rename it and import again.`,
      { cause: error },
    )
  return refuseArchive(archive, 'it is damaged, cut short, or not an archive. Create it again.', error)
}

/** Where the dataset begins: the folder with meta/info.json, wherever an archive or upload put it; else the folder itself. */
export const findDatasetRoot = async (folder: string, maxEntries: number): Promise<string> => {
  const marker = 'meta/info.json'
  const paths = await listPaths(folder, maxEntries)
  const roots = paths
    .filter((path) => path === marker || path.endsWith(`/${marker}`))
    .map((path) => path.slice(0, -marker.length))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  const [first] = roots
  if (first === undefined) return folder
  if (roots.every((root) => root.startsWith(first))) return resolve(folder, first)
  const named = roots.slice(0, 3).map((root) => root.slice(0, -1))
  throw new ServiceError(
    'source_invalid',
    `There are ${roots.length} LeRobot datasets here (${named.join(', ')}${roots.length > 3 ? ', …' : ''}). Import one at a time.`,
  )
}
