import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { PassThrough, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { refuseArchive, type Unpacking } from './unpacking.ts'

const blockBytes = 512

/** A tar file, packed by gzip or not: its first bytes tell, whatever its name says. */
export const unpackTar = async (path: string, unpacking: Unpacking): Promise<void> => {
  const { archive, signal } = unpacking
  let unpackedBytes = 0
  let tail: Buffer = Buffer.alloc(0)
  const isPacked = await isGzip(path)
  const file = createReadStream(path, { highWaterMark: 1 << 18 })
  const meter = new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      unpackedBytes += chunk.length
      tail =
        chunk.length >= blockBytes ? chunk.subarray(-blockBytes) : Buffer.concat([tail, chunk]).subarray(-blockBytes)
      try {
        if (isPacked) unpacking.checkRatio(file.bytesRead, unpackedBytes)
        done(null, chunk)
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      // A cut between two files looks like an end; a whole archive ends with empty blocks.
      const isWhole = tail.length === blockBytes && tail.every((byte) => byte === 0)
      done(isWhole ? null : refuseArchive(archive, 'it ends too early. Upload it again.'))
    },
  })
  const entries = extract()
  const fed = pipeline(file, isPacked ? createGunzip() : new PassThrough(), meter, entries, { signal })
  let fault: unknown
  fed.catch((error) => {
    fault ??= error
  })
  try {
    for await (const entry of entries) {
      const { name, size = 0, type, linkname, pax } = entry.header
      if (pax && Object.keys(pax).some((key) => key.startsWith('GNU.sparse')))
        throw refuseArchive(
          archive,
          `${JSON.stringify(name)} is stored as a sparse file. Create the archive without --sparse.`,
        )
      if (type === 'directory') {
        unpacking.addFolder(name)
        entry.resume()
      } else if (type === 'file' || type === 'contiguous-file') {
        if (name.endsWith('/')) {
          unpacking.addFolder(name)
          entry.resume()
        } else await unpacking.addFile({ name, sizeBytes: size, body: entry as AsyncIterable<Uint8Array> })
      } else {
        const what =
          type === 'symlink' || type === 'link'
            ? `a link${linkname ? ` to ${JSON.stringify(linkname)}` : ''}`
            : 'not a plain file'
        throw refuseArchive(
          archive,
          `${JSON.stringify(name)} is ${what}. Create the archive with plain files only (tar --dereference --hard-dereference).`,
        )
      }
    }
    await fed
  } catch (error) {
    entries.destroy()
    await fed.catch(() => {})
    // What stopped the bytes is the cause; what the reader of entries then says is a consequence.
    throw fault !== undefined && isConsequence(error) ? fault : error
  }
}

const isConsequence = (error: unknown): boolean =>
  error instanceof Error && /premature close|destroyed|aborted|unexpected end of data/i.test(error.message)

const isGzip = async (path: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await file.close()
  }
}
