import { ServiceError } from '../errors.ts'
import { type MultipartUpload, maxPartCount, minPartSizeBytes, type UploadedPart } from './storage.ts'

export const checkPartSize = (partSizeBytes: number): number => {
  if (Number.isSafeInteger(partSizeBytes) && partSizeBytes >= minPartSizeBytes) return partSizeBytes
  throw new ServiceError('conflict', `A part has at least ${minPartSizeBytes} bytes, not ${partSizeBytes}.`)
}

/** Parts are numbered from 1 without a gap, and all but the last have the size agreed at the beginning. */
export const checkParts = (
  upload: MultipartUpload,
  parts: readonly UploadedPart[],
  { whole }: { whole: boolean },
): void => {
  if (parts.length === 0) throw new ServiceError('conflict', 'An upload has at least one part.')
  for (const [index, { partNumber, sizeBytes }] of parts.entries()) {
    if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > maxPartCount) {
      throw new ServiceError('conflict', `A part has a number from 1 to ${maxPartCount}, not ${partNumber}.`)
    }
    if (whole && partNumber !== index + 1) {
      throw new ServiceError('conflict', `Part ${index + 1} of the upload is missing or out of order.`)
    }
    const isShortLast = sizeBytes > 0 && sizeBytes < upload.partSizeBytes && (!whole || index === parts.length - 1)
    if (sizeBytes !== upload.partSizeBytes && !isShortLast) {
      throw new ServiceError(
        'conflict',
        `Part ${partNumber} has ${sizeBytes} bytes; ${upload.partSizeBytes} were agreed.`,
      )
    }
  }
}

/**
 * An object has at most 10,000 parts. A known size is divided evenly; an unknown one gets larger parts late, since only few objects
 * come that far: 8 MiB parts then reach 375 GB.
 */
export const choosePartSizes = (partSizeBytes: number, sizeHintBytes = 0): ((partNumber: number) => number) => {
  const even = Math.max(partSizeBytes, Math.ceil(sizeHintBytes / (maxPartCount - 1_000)))
  return (partNumber) => (partNumber <= maxPartCount / 2 || sizeHintBytes > 0 ? even : even * 8)
}
