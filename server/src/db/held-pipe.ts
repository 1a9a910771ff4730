import { execFile } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A named pipe that every process using a data folder holds open for as long as it lives. The shell beside
 * PostgreSQL reads it: the read ends when the last holder is gone, however it died, and PostgreSQL is shut down.
 * So there is no owner whose death takes the database from the others, and no orphan.
 */
export interface HeldPipe {
  /** Lets go. True when nobody else holds on, so the server is about to stop. */
  release(): boolean
}

export const holdPipe = async (path: string): Promise<HeldPipe> => {
  if (!existsSync(path)) {
    await run('mkfifo', ['-m', '600', path]).catch((error) => {
      if (!existsSync(path)) throw error
    })
  }
  const held = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  let released = false
  return {
    release: () => {
      if (released) return false
      released = true
      closeSync(held)
      return !isHeld(path)
    },
  }
}

/** Reading an empty pipe ends when no writer is left, and would block (EAGAIN) while there is one. */
const isHeld = (path: string): boolean => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readSync(descriptor, new Uint8Array(1)) > 0
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return true
    throw error
  } finally {
    closeSync(descriptor)
  }
}
