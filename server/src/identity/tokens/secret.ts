import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
const form = /^nmp_[0-9A-Za-z]{36}$/

/** `nmp_`, 179 random bits in base62, and their CRC32: scanners know it by sight, and a mistyped one costs no query. */
export function createSecret(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `nmp_${random}${checksumOf(random)}`
}

export const isSecret = (text: string): boolean =>
  form.test(text) && text.endsWith(checksumOf(text.slice(4, 4 + randomLength)))

/** At 179 bits a plain hash is enough, and looking up by it leaves nothing to time. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

function checksumOf(random: string): string {
  let rest = crc32(random)
  let checksum = ''
  for (let place = 0; place < checksumLength; place += 1) {
    checksum = `${alphabet[rest % alphabet.length]}${checksum}`
    rest = Math.floor(rest / alphabet.length)
  }
  return checksum
}
