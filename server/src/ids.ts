import { randomBytes } from 'node:crypto'

export type IdPrefix =
  | 'ds'
  | 'imp'
  | 'ver'
  | 'exp'
  | 'tok'
  | 'usr'
  | 'prj'
  | 'org'
  | 'upl'
  | 'inv'
  | 'rev'
  | 'ann'
  | 'flg'
  | 'ntf'
  | 'psh'
  | 'psk'
  | 'ses'
  | 'chk'
  | 'fpr'
  | 'rob'
  | 'rvw'
  | 'drf'
  | 'sig'

/** Prefix and a UUIDv7: ids sort by their time of making, and say in a log what they name. */
export function createId(prefix: IdPrefix): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `${prefix}_${bytes.toString('hex')}`
}
