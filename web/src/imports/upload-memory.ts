import type { UploadMemory } from '@nmp/sdk/upload'

const prefix = 'nmp.upload.'
/** An upload that nobody took up is removed by the server after a while; older notes are of no use. */
const keptMs = 3 * 86_400_000

interface Note {
  url: string
  at: number
}

const readNote = (key: string): Note | undefined => {
  const text = localStorage.getItem(prefix + key)
  if (!text) return undefined
  try {
    const note = JSON.parse(text) as Note
    return Date.now() - note.at < keptMs ? note : undefined
  } catch {
    return undefined
  }
}

/** Remembered by this browser, so that a closed or reloaded page goes on with the same upload. */
export const uploadMemory: UploadMemory = {
  get: (key) => readNote(key)?.url,
  set: (key, url) => localStorage.setItem(prefix + key, JSON.stringify({ url, at: Date.now() } satisfies Note)),
  delete: (key) => localStorage.removeItem(prefix + key),
}

/** Names a file by what tells it from its next version. */
export const nameUpload = (org: string, project: string, path: string, file: File): string =>
  [org, project, file.size, file.lastModified, path].join('/')

export interface Unfinished {
  key: string
  path: string
  sizeBytes: number
}

/** Uploads into a project that were begun here and that no import has taken. */
export function listUnfinished(org: string, project: string): Unfinished[] {
  const found: Unfinished[] = []
  for (let at = 0; at < localStorage.length; at++) {
    const key = localStorage.key(at)?.slice(prefix.length) ?? ''
    if (!localStorage.key(at)?.startsWith(`${prefix}${org}/${project}/`) || !readNote(key)) continue
    const [, , size, , ...path] = key.split('/')
    found.push({ key, path: path.join('/'), sizeBytes: Number(size) })
  }
  return found
}
