import { FormatError, type FormatErrorCode } from '@nmp/formats/errors'

const givenUp =
  'Copy it again from where it was recorded. If the original is intact, repack it with h5repack or split it, then import that.'

/** What a user can do about a source that the library refuses without saying so. */
const remedies: Partial<Record<FormatErrorCode, string>> = {
  container_invalid: 'Copy it again from where it was recorded, or leave it out, and import again.',
  no_episodes: 'The report says why each episode and file was left out.',
  source_file_crashes_parser: givenUp,
  parser_deadline: givenUp,
  parser_cpu: givenUp,
  parser_memory: givenUp,
}

export function addRemedy(error: unknown): unknown {
  if (!(error instanceof FormatError)) return error
  const remedy = remedies[error.code]
  return remedy ? new FormatError(error.code, `${error.message} ${remedy}`, { cause: error }) : error
}
