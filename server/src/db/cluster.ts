import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Account } from './account.ts'
import type { PostgresBinaries } from './binaries.ts'
import { isProcessAlive } from './postmaster.ts'

const run = promisify(execFile)

export const clusterUser = 'nmp'
const maxWaits = 1200

/** The password of a folder's cluster, made once; two processes that start together agree on it. */
export const readOrCreatePassword = async (folder: string, account: Account): Promise<string> => {
  const file = join(folder, 'password')
  if (!existsSync(file)) {
    const draft = join(folder, `password.${process.pid}`)
    await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600 })
    await own(draft, account)
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(draft, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Makes the cluster under a name of this process and renames it when it is whole, so that a crash in initdb leaves
 * nothing that looks like a cluster. Of processes that start together one makes it and the others wait; should two
 * make one after all, one wins the rename and the other throws its own away.
 */
export const createCluster = async (
  folder: string,
  dataFolder: string,
  binaries: PostgresBinaries,
  account: Account,
): Promise<void> => {
  const draft = `${dataFolder}.init.${process.pid}`
  // In a container the process before a crash had the same number.
  await rm(draft, { recursive: true, force: true })
  for (let waits = 0; ; waits += 1) {
    if (existsSync(dataFolder)) return
    // A maker that takes this long is another program that got a dead one's number.
    if ((await listMakers(folder)).length === 0 || waits > maxWaits) {
      await mkdir(draft, { mode: 0o700 })
      await own(draft, account)
      if (waits > maxWaits || (await listMakers(folder)).every((maker) => maker >= process.pid)) break
      await rm(draft, { recursive: true })
    }
    await sleep(50)
  }
  const words = [
    ...account.prefix,
    binaries.initdb,
    ...['-D', draft, '-U', clusterUser, `--pwfile=${join(folder, 'password')}`],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--data-checksums'],
    ...(await listProviderWords(binaries)),
  ]
  const [program = '', ...parameters] = words
  const identity = account.uid === undefined ? {} : { uid: account.uid, gid: account.gid ?? account.uid }
  try {
    await run(program, parameters, { env: { ...childEnvironment, ...binaries.env }, ...identity })
    await rename(draft, dataFolder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (existsSync(dataFolder)) return
    throw new Error(`PostgreSQL could not create its data folder ${dataFolder}: ${stderrOf(error)}`, { cause: error })
  }
}

/** The locale that PostgreSQL brings itself, where it has one (17 and newer): an upgrade of the system cannot change its order. */
const listProviderWords = async (binaries: PostgresBinaries): Promise<string[]> =>
  (await readMajorVersion(binaries)) >= 17 ? ['--locale-provider=builtin'] : []

export const readMajorVersion = async ({ postgres, env }: PostgresBinaries): Promise<number> => {
  const { stdout } = await run(postgres, ['-V'], { env: { ...childEnvironment, ...env } })
  return Number(/ (\d+)/.exec(stdout)?.[1])
}

/** The live processes that are making a cluster here; what dead ones left is removed. */
const listMakers = async (folder: string): Promise<number[]> => {
  const makers: number[] = []
  for (const name of await readdir(folder)) {
    const maker = Number(/^data\.init\.(\d+)$/.exec(name)?.[1])
    if (!maker) continue
    if (isProcessAlive(maker)) makers.push(maker)
    // Its initdb may still be writing; it ends when its folder is gone.
    else await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 }).catch(() => undefined)
  }
  return makers
}

/** PostgreSQL gets a path and a language, and nothing else of ours: no setting or secret of the program. */
export const childEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export const own = async (path: string, account: Account): Promise<void> => {
  if (account.uid !== undefined) await chown(path, account.uid, account.gid ?? account.uid)
}

const stderrOf = (error: unknown): string =>
  error instanceof Error && 'stderr' in error && String(error.stderr).trim()
    ? String(error.stderr).trim()
    : String(error)
