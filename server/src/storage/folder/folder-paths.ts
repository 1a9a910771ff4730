/** Ends a name that goes on in the next folder. No escape looks like it. */
const continuation = '%_'
/** 66 characters or escapes are at most 198 bytes; file systems stop at 255. */
const namePieces = /(?:%..|[^%]){1,66}/g

/**
 * The path of a key below the objects folder. Everything but lower-case letters, digits, `.`, `_` and `-` is escaped, so that two keys
 * never share a file on a disk that ignores case (macOS) or Unicode form, and no name means something to a shell.
 */
export const encodeKeyPath = (key: string): string => key.split('/').map(encodeName).join('/')

const encodeName = (component: string): string => {
  let encoded = ''
  for (const byte of Buffer.from(component)) {
    const character = String.fromCharCode(byte)
    encoded += /[a-z0-9._-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
  }
  return (encoded.match(namePieces) ?? []).join(`${continuation}/`)
}

/** Undefined when the path is not one that `encodeKeyPath` makes: a foreign file that someone put there. */
export const decodeKeyPath = (path: string): string | undefined => {
  try {
    const key = decodeURIComponent(path.replaceAll(`${continuation}/`, ''))
    return encodeKeyPath(key) === path ? key : undefined
  } catch {
    return undefined
  }
}
