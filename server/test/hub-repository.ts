import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** A file that is put in beside those of a folder, also under a name that no folder can hold. */
export interface GivenFile {
  path: string
  content: Buffer
  isLarge: boolean
}

export interface HubFile extends GivenFile {
  sha256: string
  /** What git keeps: the file's own blob, or the pointer's to a large one. */
  oid: string
}

export interface RepositoryOptions {
  /** Tags beside the branch main, all of the one commit. */
  tags?: string[]
  /** Without it everyone may read. */
  token?: string
  isGated?: boolean
  extra?: GivenFile[]
}

export interface HubRepository {
  id: string
  commit: string
  files: Map<string, HubFile>
  options: RepositoryOptions
}

/** Binary files are kept by their sha256, the rest as git blobs, by the public hub's rule of thumb. */
const largeNames = /\.(parquet|mp4|png|arrow|hdf5|h5|tar|zip|bin)$/

export const openRepository = async (
  id: string,
  folder: string | undefined,
  options: RepositoryOptions,
): Promise<HubRepository> => {
  const given = [...(folder === undefined ? [] : await readFolder(folder)), ...(options.extra ?? [])]
  const files = given.map((file) => {
    const sha256 = createHash('sha256').update(file.content).digest('hex')
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${file.content.length}\n`
    return { ...file, sha256, oid: nameBlob(file.isLarge ? Buffer.from(pointer) : file.content) }
  })
  const tree = files.map(({ path, oid }) => `${path} ${oid}`).join('\n')
  return {
    id,
    commit: createHash('sha1').update(tree).digest('hex'),
    files: new Map(files.map((file) => [file.path, file])),
    options,
  }
}

const nameBlob = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')

/** The tree route's entries: folders first, then files. */
export const listEntries = ({ files }: HubRepository): object[] => {
  const folders = new Set<string>()
  for (const path of files.keys())
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) folders.add(path.slice(0, end))
  return [
    ...[...folders].map((path) => ({ type: 'directory', path, size: 0, oid: nameBlob(Buffer.from(path)) })),
    ...[...files.values()].map(({ path, content, oid, isLarge, sha256 }) => ({
      type: 'file',
      path,
      size: content.length,
      oid,
      ...(isLarge ? { lfs: { oid: sha256, size: content.length, pointerSize: 130 } } : {}),
    })),
  ]
}

const readFolder = async (folder: string): Promise<GivenFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: relative(folder, path).split(sep).join('/'),
      content: await readFile(path),
      isLarge: largeNames.test(path),
    })),
  )
}
