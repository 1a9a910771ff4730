import type { FileHandle } from 'node:fs/promises'

/** A disk that is nearly full takes a part and says so by a number; only the next write is refused, with ENOSPC. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}
