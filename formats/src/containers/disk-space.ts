import { statfs } from 'node:fs/promises'

/** Less is no space: writers of files take it in pieces of this order. */
const leastBytes = 1024 * 1024

/**
 * On a disk that is full good files look broken: an encoder stops, a copy is short. Before a failure is laid at a file's door,
 * this throws ENOSPC when the disk may be the cause.
 */
export async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < leastBytes) throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' })
}
