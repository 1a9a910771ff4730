import type { ImportOptions } from '@nmp/sdk/generated/records'

/** What was sent for an import of uploaded files. */
export interface SentImport {
  uploadIds: string[]
  files: { path: string; sizeBytes: number }[]
  options: ImportOptions
}

const storageKey = 'nmp.imports-sent'
const keptImports = 20
/** A folder of thousands would fill what a browser keeps. */
const mostFiles = 200

const readAll = (): [string, SentImport][] => {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]') as [string, SentImport][]
  } catch {
    return []
  }
}

/** Kept by this browser, because an import does not tell it: with it the same files are imported again with other options. */
export function rememberImport(jobId: string, sent: SentImport): void {
  if (sent.uploadIds.length > mostFiles) return
  const others = readAll().filter(([id]) => id !== jobId)
  localStorage.setItem(storageKey, JSON.stringify([[jobId, sent], ...others].slice(0, keptImports)))
}

export const recallImport = (jobId: string): SentImport | undefined => readAll().find(([id]) => id === jobId)?.[1]
