import { notFound, ServiceError } from '../../errors.ts'

export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

export const statusOf = (error: unknown): number | undefined => {
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined
  return typeof metadata === 'object' && metadata && 'httpStatusCode' in metadata
    ? Number(metadata.httpStatusCode)
    : undefined
}

export const explain = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    throw describeS3Error(error)
  })

/** Only a missing key is `not_found`: a missing bucket, a refusal or a time-out is a fault of the service, and says so. */
export const describeS3Error = (error: unknown): unknown => {
  const name = nameOf(error)
  const status = statusOf(error)
  if (name === 'AbortError' || error instanceof ServiceError) return error
  if (name === 'NoSuchKey') return notFound()
  if (name === 'NoSuchUpload') {
    return new ServiceError(
      'not_found',
      'There is no such upload: it was completed, aborted or has expired. Start a new one.',
    )
  }
  if (name === 'InvalidPart') {
    return new ServiceError('conflict', 'A part of the upload is missing or does not match. Send it again.')
  }
  if (status === 412)
    return new ServiceError('object_exists', 'An object with this key already exists, or it was replaced.')
  if (status === 416) return new ServiceError('range_not_satisfiable', 'The range is outside the object.')
  if (status === undefined || status >= 500 || status === 429) {
    return new ServiceError('not_ready', `S3 gave an unexpected answer (${name}). Try again.`, { cause: error })
  }
  const sentence = `S3 refuses the request (${status} ${name}). Check NMP_S3_BUCKET, the keys and their permissions.`
  return new ServiceError('internal_error', sentence, { cause: error })
}
