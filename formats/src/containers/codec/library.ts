import { createRequire } from 'node:module'
import { describeCause, FormatError } from '../../errors.ts'

/** The library is a package apart (codec/ at the top), because the licence of its FFmpeg is not ours: an installation may lack it. */
export function isCodecInstalled(): boolean {
  isFound ||= findLibrary()
  return isFound
}

/** Once found it is not looked for again: the file system is asked forty times for it, which was a twentieth of a conversion of short episodes. */
let isFound = false

function findLibrary(): boolean {
  try {
    createRequire(import.meta.url).resolve('node-av')
    return true
  } catch {
    return false
  }
}

/** `cause`: it is installed and cannot be loaded on this system. */
export function describeMissingCodec(cause?: unknown): FormatError {
  const why = cause === undefined ? 'is not installed' : `cannot be loaded: ${describeCause(cause)}`
  return new FormatError(
    'codec_missing',
    `Pixels of videos can be neither read nor made here: the video codec library node-av ${why}. ` +
      'The operator installs it with `npm ci`, without leaving out the workspace `codec`.',
  )
}
