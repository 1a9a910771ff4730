import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface Postmaster {
  pid: number
  socketFolder: string
}

export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * The live server of a data folder, by the file PostgreSQL itself keeps there. After a crash its number may have
 * gone to another program (usual in containers, where numbers start over), and PostgreSQL would then refuse to
 * start for ever: such a file is removed.
 */
export const findPostmaster = (dataFolder: string): Postmaster | undefined => {
  const file = join(dataFolder, 'postmaster.pid')
  const lines = readIfThere(file)?.split('\n')
  const pid = Number(lines?.[0])
  if (!lines || !Number.isInteger(pid) || pid <= 0 || !isProcessAlive(pid)) return undefined
  const commandLine = readIfThere(`/proc/${pid}/cmdline`)
  if (commandLine !== undefined && !commandLine.split('\0').includes(dataFolder)) {
    if (commandLine !== '') rmSync(file, { force: true })
    return undefined
  }
  return { pid, socketFolder: lines[4] ?? '' }
}

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
