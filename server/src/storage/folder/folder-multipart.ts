import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ServiceError } from '../../errors.ts'
import { checkKey } from '../keys.ts'
import { checkPartSize, checkParts } from '../parts.ts'
import type { MultipartUpload, ObjectHead, ObjectStorage, UploadedPart } from '../storage.ts'
import { isErrno, writeAll } from './durable-file.ts'

type MultipartMethods = Pick<ObjectStorage, 'beginMultipart' | 'putPart' | 'completeMultipart' | 'abortMultipart'>

/**
 * Parts are written at their place in one file, so that completing moves no byte. A part counts once its note (`3`: etag) is there,
 * which is written after the part's bytes are on the disk.
 */
export const createFolderMultipart = (
  uploadsFolder: string,
  publish: (key: string, dataPath: string) => Promise<ObjectHead>,
): MultipartMethods => {
  const folderOf = ({ uploadId }: MultipartUpload): string => {
    if (!/^[0-9a-f]{24}$/.test(uploadId)) throw unknownUpload()
    return join(uploadsFolder, uploadId)
  }
  const openData = async (upload: MultipartUpload) => {
    const folder = folderOf(upload)
    try {
      if ((await readFile(join(folder, 'key'), 'utf8')) !== upload.key) throw unknownUpload()
      return await open(join(folder, 'data'), constants.O_WRONLY | constants.O_NOFOLLOW)
    } catch (error) {
      throw isErrno(error, 'ENOENT') ? unknownUpload() : error
    }
  }

  return {
    beginMultipart: async (key, partSizeBytes) => {
      const upload = {
        key: checkKey(key),
        uploadId: randomBytes(12).toString('hex'),
        partSizeBytes: checkPartSize(partSizeBytes),
      }
      const folder = folderOf(upload)
      await mkdir(folder, { mode: 0o700 })
      await writeFile(join(folder, 'data'), '', { mode: 0o600 })
      await writeFile(join(folder, 'key'), key)
      return upload
    },

    putPart: async (upload, partNumber, bytes) => {
      checkParts(upload, [{ partNumber, sizeBytes: bytes.byteLength, etag: '' }], { whole: false })
      const file = await openData(upload)
      try {
        const note = join(folderOf(upload), String(partNumber))
        await rm(note, { force: true })
        await writeAll(file, bytes, (partNumber - 1) * upload.partSizeBytes)
        await file.datasync()
        // Tells which bytes a part was sent with last; the content is hashed by whoever needs to know it.
        const etag = `"${bytes.byteLength.toString(16)}-${crc32(bytes).toString(16)}"`
        await writeFile(`${note}.new`, etag)
        await rename(`${note}.new`, note)
        return { partNumber, sizeBytes: bytes.byteLength, etag }
      } finally {
        await file.close()
      }
    },

    completeMultipart: async (upload, parts) => {
      checkParts(upload, parts, { whole: true })
      const file = await openData(upload)
      try {
        for (const part of parts) await checkNote(folderOf(upload), part)
        await file.truncate(parts.reduce((sum, part) => sum + part.sizeBytes, 0))
        await file.sync()
      } finally {
        await file.close()
      }
      const head = await publish(upload.key, join(folderOf(upload), 'data'))
      await rm(folderOf(upload), { recursive: true, force: true })
      return head
    },

    abortMultipart: async (upload) => {
      await rm(folderOf(upload), { recursive: true, force: true })
    },
  }
}

const checkNote = async (folder: string, { partNumber, etag }: UploadedPart): Promise<void> => {
  const note = await readFile(join(folder, String(partNumber)), 'utf8').catch((error) => {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  })
  if (note !== etag) {
    throw new ServiceError('conflict', `Part ${partNumber} of the upload is missing or does not match. Send it again.`)
  }
}

const unknownUpload = (): ServiceError =>
  new ServiceError('not_found', 'There is no such upload: it was completed, aborted or has expired. Start a new one.')
