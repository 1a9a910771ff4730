import { ServiceError } from '../../errors.ts'

const maxPathBytes = 1024
const maxNameBytes = 255
const maxDepth = 64
const maxFolders = 500_000

/** Why a name cannot be a relative path of ours; undefined when it can. */
const findNameFault = (path: string): string | undefined => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x1f\x7f]/.test(path)) return 'contains control characters'
  if (path.includes('\\')) return 'holds a backslash'
  if (path.includes('\ufffd') || !path.isWellFormed()) return 'is not valid text'
  if (path === '') return 'is empty'
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is absolute'
  const parts = path.split('/')
  if (parts.some((part) => part === '..')) return 'leads outside its folder'
  if (parts.some((part) => part === '' || part === '.')) return 'has an empty or “.” part'
  if (parts.length > maxDepth) return `is deeper than ${maxDepth} folders`
  if (Buffer.byteLength(path) > maxPathBytes || parts.some((part) => Buffer.byteLength(part) > maxNameBytes))
    return `is longer than ${maxPathBytes} bytes, or ${maxNameBytes} in one part`
  return undefined
}

export interface NameGuard {
  /** Takes a file's name, or throws. */
  addFile(path: string): void
  addFolder(path: string): void
}

/**
 * Names that a stranger chose, before anything is written under them. Names that differ in case or in Unicode form only are one
 * file on some disks, so the second is refused everywhere.
 */
export const createNameGuard = (place: string): NameGuard => {
  const files = new Set<string>()
  const folders = new Set<string>()
  const refuse = (path: string, fault: string): never => {
    const shown = JSON.stringify(path.length > 120 ? `${path.slice(0, 120)}…` : path)
    throw new ServiceError(
      'invalid_path',
      `${place} contains a file whose name cannot be used: ${shown} ${fault}. Rename it and import again.`,
    )
  }
  const fold = (path: string): string => path.normalize('NFC').toLowerCase()
  const addFolders = (path: string, key: string): void => {
    for (let end = key.indexOf('/'); end !== -1; end = key.indexOf('/', end + 1)) {
      const folder = key.slice(0, end)
      if (files.has(folder)) refuse(path, 'is below another file')
      folders.add(folder)
    }
    if (folders.size > maxFolders)
      throw new ServiceError('source_too_large', `${place} contains more than ${maxFolders} folders.`)
  }
  const check = (path: string): string => {
    const fault = findNameFault(path)
    if (fault !== undefined) refuse(path, fault)
    return fold(path)
  }
  return {
    addFile(path) {
      const key = check(path)
      if (files.has(key)) refuse(path, 'appears twice, or differs from another name only in case')
      if (folders.has(key)) refuse(path, 'is also the name of a folder')
      addFolders(path, key)
      files.add(key)
    },
    addFolder(path) {
      addFolders(path, `${check(path)}/`)
    },
  }
}
