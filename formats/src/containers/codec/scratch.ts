import { mkdtemp, realpath, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The one folder that encoders write to, made when the first of them starts. */
export interface Scratch {
  open(): Promise<string>
  /** A path in it that nobody else uses. */
  createPath(): Promise<string>
  remove(): Promise<void>
}

export function createScratch(parent: string = tmpdir()): Scratch {
  let folder: Promise<string> | undefined
  let count = 0
  const open = async (): Promise<string> => {
    folder ??= realpath(parent).then((root) => mkdtemp(join(root, 'nmp-codec-')))
    const made = await folder
    // Old ones are taken for those of killed processes. A sandbox refuses it, and removes its folder itself.
    await utimes(made, new Date(), new Date()).catch(() => {})
    return made
  }
  return {
    open,
    createPath: async () => join(await open(), `${count++}.mp4`),
    async remove() {
      const made = await folder?.catch(() => undefined)
      folder = undefined
      if (made !== undefined) await rm(made, { recursive: true, force: true })
    },
  }
}
