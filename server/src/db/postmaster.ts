import { readFileSync } from 'node:fs'
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

/** The live server of a data folder, by the file PostgreSQL itself keeps there. */
export const findPostmaster = (dataFolder: string): Postmaster | undefined => {
  const found = readPidFile(dataFolder)
  return found && !isAnotherProgram(found.pid, dataFolder) ? found : undefined
}

/**
 * After a crash its number may have gone to another program (usual in containers, where numbers start over), and PostgreSQL would then
 * refuse to start for ever. Whoever holds the lock of the folder may remove such a file; without it, it may be that of another container.
 */
export const isPidFileStale = (dataFolder: string): boolean => {
  const found = readPidFile(dataFolder)
  // One that has ended and was not waited for yet has no words.
  return (
    found !== undefined && readIfThere(`/proc/${found.pid}/cmdline`) !== '' && isAnotherProgram(found.pid, dataFolder)
  )
}

const readPidFile = (dataFolder: string): Postmaster | undefined => {
  const lines = readIfThere(join(dataFolder, 'postmaster.pid'))?.split('\n')
  const pid = Number(lines?.[0])
  if (!lines || !Number.isInteger(pid) || pid <= 0 || !isProcessAlive(pid)) return undefined
  return { pid, socketFolder: lines[4] ?? '' }
}

const isAnotherProgram = (pid: number, dataFolder: string): boolean => {
  const commandLine = readIfThere(`/proc/${pid}/cmdline`)
  return commandLine !== undefined && !commandLine.split('\0').includes(dataFolder)
}

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
