import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadMemory } from '@nmp/sdk/upload'

/** The service forgets unfinished uploads after a day; older notes are of no use. */
const maxAgeMs = 24 * 3600 * 1000

interface Note {
  url: string
  at: number
}

/** Unfinished uploads of earlier runs, in a file of the state folder. */
export async function openUploadMemory(folder: string): Promise<UploadMemory> {
  const path = join(folder, 'uploads.json')
  const notes = await readNotes(path)
  let writing = Promise.resolve()
  const save = (): Promise<void> => {
    writing = writing.then(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const scratch = `${path}.${process.pid}`
      // Another run of the command may have added its own.
      const merged = { ...(await readNotes(path)), ...notes }
      for (const [key, note] of Object.entries(notes)) if (note === undefined) delete merged[key]
      await writeFile(scratch, JSON.stringify(merged), { mode: 0o600 })
      await rename(scratch, path)
    })
    return writing
  }
  return {
    get: (key) => notes[key]?.url,
    set(key, url) {
      notes[key] = { url, at: Date.now() }
      return save()
    },
    delete(key) {
      notes[key] = undefined
      return save()
    },
  }
}

async function readNotes(path: string): Promise<Record<string, Note | undefined>> {
  try {
    const notes = JSON.parse(await readFile(path, 'utf8')) as Record<string, Note>
    return Object.fromEntries(Object.entries(notes).filter(([, { at }]) => Date.now() - at < maxAgeMs))
  } catch {
    return {}
  }
}
