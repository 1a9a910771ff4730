import type { FileHandle } from 'node:fs/promises'

/** A disk that is nearly full takes a part and says so by a number; only the next write is refused, with ENOSPC. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

/** Pieces one behind the other, in one call of the system where it takes them. */
export async function writeAllOf(file: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces, position)
  let at = 0
  for (const piece of pieces) {
    const done = Math.min(piece.length, Math.max(0, bytesWritten - at))
    if (done < piece.length) await writeAll(file, piece.subarray(done), position + at + done)
    at += piece.length
  }
}
