const hdf5Magic = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1')

/** The ending that a file's first bytes deserve; undefined when it is nothing that can be imported. */
export const findFileKind = (head: Buffer): '.hdf5' | '.zip' | '.tar.gz' | '.tar' | undefined => {
  if (head.subarray(0, hdf5Magic.length).equals(hdf5Magic)) return '.hdf5'
  if (head.toString('latin1', 0, 4) === 'PK\x03\x04') return '.zip'
  if (head[0] === 0x1f && head[1] === 0x8b) return '.tar.gz'
  if (head.toString('latin1', 257, 262) === 'ustar') return '.tar'
  return undefined
}
