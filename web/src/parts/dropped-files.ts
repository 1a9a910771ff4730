export interface UploadFile {
  /** Relative; folders keep their structure. */
  path: string
  file: File
}

/** Files and folders of a drop, with their paths. Hidden files (.git, .cache, .DS_Store) stay at home. */
export async function readDrop(transfer: DataTransfer): Promise<UploadFile[]> {
  // The entries must be taken before the first await, or the browser empties the list.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const plain = [...transfer.files]
  if (entries.length === 0) return plain.map((file) => ({ path: file.name, file }))
  const found: UploadFile[] = []
  for (const entry of entries) await walk(entry, '', found)
  return keepVisible(found)
}

export const readPicked = (files: FileList): UploadFile[] =>
  keepVisible([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })))

const keepVisible = (files: UploadFile[]): UploadFile[] =>
  files.filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')))

async function walk(entry: FileSystemEntry, prefix: string, found: UploadFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path: prefix + entry.name, file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return
    for (const child of batch) await walk(child, `${prefix}${entry.name}/`, found)
  }
}

/** HDF5 by its ending; anything else must be a LeRobot folder or an archive of one. */
export const guessKind = (files: readonly UploadFile[]): 'hdf5' | 'lerobot' =>
  files.some(({ path }) => /\.(hdf5|h5|hdf)$/i.test(path)) ? 'hdf5' : 'lerobot'

export function suggestSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/\.(hdf5|h5|hdf|tar|tgz|zip|gz)$/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80)
}
