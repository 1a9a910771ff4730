import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { refuseArchive, type Unpacking } from './unpacking.ts'

const headerBytes = 30
const fileTypeMask = 0o170000

/** A zip file by its directory. The directory is read and judged before the first file is unpacked. */
export const unpackZip = async (path: string, unpacking: Unpacking): Promise<void> => {
  const { archive, signal } = unpacking
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true })
  try {
    unpacking.checkCount(zip.entryCount)
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted()
      requirePlain(archive, entry)
      unpacking.checkRatio(entry.compressedSize, entry.uncompressedSize)
      entries.push(entry)
    }
    requireApart(archive, entries)
    for (const entry of entries) {
      if (entry.fileName.endsWith('/')) {
        unpacking.addFolder(entry.fileName)
        continue
      }
      const body = readEntry(archive, zip, entry)
      await unpacking.addFile({ name: entry.fileName, sizeBytes: entry.uncompressedSize, body })
    }
  } finally {
    zip.close()
  }
}

const requirePlain = (archive: string, entry: Entry): void => {
  const name = JSON.stringify(entry.fileName)
  const unixType = (entry.externalFileAttributes >>> 16) & fileTypeMask
  // The system that wrote the attributes is in the high byte; only Unix ones say what kind of file it is.
  const isUnix = entry.versionMadeBy >>> 8 === 3 || entry.versionMadeBy >>> 8 === 19
  if (isUnix && ![0, 0o100000, 0o040000].includes(unixType))
    throw refuseArchive(archive, `${name} is a link or not a plain file. Create the archive with plain files only.`)
  if (entry.isEncrypted()) throw refuseArchive(archive, `${name} is encrypted. Create the archive without a password.`)
  if (!entry.canDecodeFileData())
    throw refuseArchive(
      archive,
      `${name} uses an unsupported compression method (${entry.compressionMethod}). Use deflate or store.`,
    )
}

/** Files that share bytes are how a small archive becomes petabytes. */
const requireApart = (archive: string, entries: readonly Entry[]): void => {
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw refuseArchive(archive, 'two of its files overlap.')
    end = entry.relativeOffsetOfLocalHeader + headerBytes + entry.fileNameLength + entry.compressedSize
  }
}

/** Opened when it is read and not before: the stream may fail at once, and an error that nobody awaits ends the process. */
async function* readEntry(archive: string, zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await zip.openReadStreamPromise(entry)
  stream.on('error', () => {})
  let sum = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== entry.crc32)
    throw refuseArchive(archive, `${JSON.stringify(entry.fileName)} in it is damaged. Upload it again.`)
}
