import { FormatError } from '../../errors.ts'
import type { ChildPool } from '../child/pool.ts'
import type { CompressCall } from './calls.ts'

export interface CompressedPicture {
  width: number
  height: number
  /** RGB, rows from the top. */
  data: Uint8Array
  /** 0 is lossless, 1 cannot be told apart by eye. */
  distance: number
  /** From 1, the fastest, to 9. */
  effort: number
  signal?: AbortSignal | undefined
}

export async function compressPicture(pool: ChildPool, picture: CompressedPicture): Promise<Uint8Array> {
  const { width, height, data, distance, effort, signal } = picture
  const call: CompressCall = { width, height, distance, effort }
  const input = async function* () {
    yield { head: null, body: data }
  }
  let bytes: Uint8Array | undefined
  for await (const { body } of pool.call('compress', call, input(), { signal })) bytes = body
  if (!bytes) throw new FormatError('container_invalid', 'The picture could not be encoded as JPEG XL.')
  return bytes
}
