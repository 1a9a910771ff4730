import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The key of a data folder, which only the account that runs the program may read. */
export const keyFileIn = (dataFolder: string): string => join(dataFolder, 'secret.key')

const nextOf = (path: string): string => `${path}.next`

export async function findKeyFile(path: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
    if (secret.length < shortestKey)
      throw new Error(`${path} holds no key: it is shorter than ${shortestKey} characters.`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const shortestKey = 32

export const createKey = (): string => randomBytes(32).toString('base64url')

/** The key that stands: the one made here, or the one that another process made first. Never a part of one. */
export async function makeKeyFile(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  const made = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(made, `${createKey()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(made, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(made, { force: true })
  }
  const secret = await findKeyFile(path)
  if (secret === undefined) throw new Error(`${path} cannot be read after it was written.`)
  return secret
}

/** Kept beside the old key until the database has taken it: whichever of the two the database knows is the one that counts. */
export const writeNextKey = async (path: string, secret: string): Promise<void> => {
  await rm(nextOf(path), { force: true })
  await writeFile(nextOf(path), `${secret}\n`, { mode: 0o600, flag: 'wx' })
}

export const findNextKey = (path: string): Promise<string | undefined> => findKeyFile(nextOf(path))

export const takeNextKey = (path: string): Promise<void> => rename(nextOf(path), path)
