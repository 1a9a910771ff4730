import { join } from 'node:path'
import { encodeBytes, encodeHead, encodeVarint } from '../../containers/protobuf.ts'
import { FormatError } from '../../errors.ts'
import { Spool } from './spool.ts'

/** Fields of `tf.train.Feature`. */
const kinds = { bytes: 1, float: 2, int64: 3 } as const

export type ListKind = keyof typeof kinds

/** Readers take a record as one message of Protocol Buffers, which is below 2 GiB. */
const maxExampleBytes = 2 ** 31 - 1

/** A `tf.train.Example` that may be larger than memory: the list of each feature is collected apart. */
export class SpooledExample {
  readonly #folder: string
  readonly #lists = new Map<string, { readonly kind: ListKind; readonly spool: Spool }>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The lists must be known by their keys before anything is appended to them. */
  addList(key: string, kind: ListKind): ExampleList {
    const spool = new Spool(join(this.#folder, `list-${this.#lists.size}`))
    this.#lists.set(key, { kind, spool })
    return {
      addBytes: (bytes) => spool.append(...encodeBytes(1, bytes)),
      addFloats: (values) => spool.append(new Uint8Array(values.slice().buffer)),
      addIntegers: (values) => spool.append(Buffer.concat(Array.from(values, encodeVarint))),
    }
  }

  /** Its size, and its bytes in pieces; features in the order of their keys. */
  describe(): { sizeBytes: number; read: () => AsyncGenerator<Uint8Array> } {
    const entries = [...this.#lists]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, { kind, spool }]) => {
        // Numbers are one packed field, bytes a field each.
        const listHead = kind === 'bytes' || spool.sizeBytes === 0 ? [] : encodeHead(1, spool.sizeBytes)
        const list = sum(listHead) + spool.sizeBytes
        const featureHead = encodeHead(kinds[kind], list)
        const feature = sum(featureHead) + list
        const entryHead = [...encodeBytes(1, Buffer.from(key)), ...encodeHead(2, feature)]
        const entry = sum(entryHead) + feature
        return {
          spool,
          entry,
          head: Buffer.concat([...encodeHead(1, entry), ...entryHead, ...featureHead, ...listHead]),
        }
      })
    const body = entries.reduce((total, { head, spool }) => total + head.length + spool.sizeBytes, 0)
    const head = Buffer.concat(encodeHead(1, body))
    const sizeBytes = head.length + body
    if (sizeBytes > maxExampleBytes)
      throw new FormatError(
        'limit_exceeded',
        `as one record it would have ${sizeBytes} bytes, and readers take ${maxExampleBytes} at most. Split it, make its pictures smaller or take JPEG.`,
      )
    async function* read() {
      yield head
      for (const entry of entries) {
        yield entry.head
        yield* entry.spool.read()
      }
    }
    return { sizeBytes, read }
  }

  async close(): Promise<void> {
    for (const { spool } of this.#lists.values()) await spool.close()
  }
}

export interface ExampleList {
  addBytes(bytes: Uint8Array): Promise<void>
  addFloats(values: Float32Array): Promise<void>
  addIntegers(values: readonly (number | bigint)[]): Promise<void>
}

const sum = (pieces: readonly Uint8Array[]): number => pieces.reduce((total, { length }) => total + length, 0)
