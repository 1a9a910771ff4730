import type { UploadMemory } from '@nmp/sdk/upload'

const prefix = 'nmp.upload.'

/** Remembered by this browser, so that a closed tab goes on with the same upload. */
export const uploadMemory: UploadMemory = {
  get: (key) => localStorage.getItem(prefix + key) ?? undefined,
  set: (key, url) => localStorage.setItem(prefix + key, url),
  delete: (key) => localStorage.removeItem(prefix + key),
}
