import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from './failures.ts'

/** A sign-in at one address. A token is only ever sent to the address it was made at. */
export interface SignIn {
  base_url: string
  token: string
  token_id: string | null
  email: string
}

export interface Profile {
  stable?: SignIn
  dev?: SignIn
  org?: string
  project?: string
}

export type Channel = 'stable' | 'dev'

export interface Credentials {
  profiles: Record<string, Profile>
}

const fileName = 'credentials.json'

export const credentialsPath = (folder: string): string => join(folder, fileName)

export async function readCredentials(folder: string): Promise<Credentials> {
  const path = credentialsPath(folder)
  try {
    const found = JSON.parse(await readFile(path, 'utf8')) as Partial<Credentials>
    return { profiles: found.profiles ?? {} }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    if (error instanceof SyntaxError) throw new CommandError(`${path} is not JSON; delete it and run nmp login.`)
    throw error
  }
}

/** Readable by its owner alone, also while it is being written; whole or as it was. */
export async function writeCredentials(folder: string, credentials: Credentials): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = credentialsPath(folder)
  const scratch = `${path}.${process.pid}`
  const handle = await open(scratch, 'w', 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(`${JSON.stringify(credentials, null, 2)}\n`)
  } finally {
    await handle.close()
  }
  await rename(scratch, path)
  await chmod(path, 0o600)
}
