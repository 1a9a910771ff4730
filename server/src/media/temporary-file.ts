import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A path for a video that is gone when the work ends. */
export async function inTemporaryFile<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-clip-'))
  try {
    return await work(join(folder, 'clip.mp4'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
