export interface TarEntry {
  name: string
  bytes?: Buffer
  /** `0` is a file; others are links, devices, headers. */
  type?: string
  linkTo?: string
  /** Instead of the true ones, to lie with. */
  size?: number
  sum?: number
}

const block = 512

/** A tar file as a stranger might make one, lies included. */
export const writeTar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.flatMap(writeEntry), Buffer.alloc(2 * block)])

function writeEntry({ name, bytes = Buffer.alloc(0), type = '0', linkTo = '', size, sum }: TarEntry): Buffer[] {
  const head = Buffer.alloc(block)
  head.write(name.slice(0, 100), 0)
  head.write('0000644\0', 100)
  head.write('0000000\0', 108)
  head.write('0000000\0', 116)
  head.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124)
  head.write('00000000000\0', 136)
  head.write('        ', 148)
  head.write(type, 156)
  head.write(linkTo.slice(0, 100), 157)
  head.write('ustar\x0000', 257)
  const counted = sum ?? head.reduce((total, byte) => total + byte, 0)
  head.write(`${counted.toString(8).padStart(6, '0')}\0 `, 148)
  return [head, bytes, Buffer.alloc((block - (bytes.length % block)) % block)]
}
