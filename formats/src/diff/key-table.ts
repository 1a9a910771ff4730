/** Numbers in a key: as many bits as a digest has. */
export const keyWords = 4

/**
 * Which of many keys are equal, each of four numbers: a hash table in three arrays, because a string for each of a million digests costs
 * more than everything that is done with them.
 */
export class KeyTable {
  readonly #keys: Uint32Array
  readonly #mask: number
  /** By slot: some entry with the slot's key, and the first one that was not taken. */
  readonly #known: Int32Array
  readonly #heads: Int32Array
  readonly #next: Int32Array

  constructor(keys: Uint32Array) {
    const count = keys.length / keyWords
    const size = 2 ** Math.ceil(Math.log2(2 * count + 2))
    this.#keys = keys
    this.#mask = size - 1
    this.#known = new Int32Array(size).fill(-1)
    this.#heads = new Int32Array(size).fill(-1)
    this.#next = new Int32Array(count).fill(-1)
    // From the last one on, so that equal ones are given out in their order.
    for (let entry = count - 1; entry >= 0; entry--) {
      const slot = this.#findSlot(keys, entry)
      this.#known[slot] = entry
      this.#next[entry] = this.#heads[slot] as number
      this.#heads[slot] = entry
    }
  }

  has(keys: Uint32Array, at: number): boolean {
    return this.#known[this.#findSlot(keys, at)] !== -1
  }

  /** The first entry with this key that was not given out before; -1 where there is none. */
  take(keys: Uint32Array, at: number): number {
    const slot = this.#findSlot(keys, at)
    const entry = this.#heads[slot] as number
    if (entry >= 0) this.#heads[slot] = this.#next[entry] as number
    return entry
  }

  #findSlot(keys: Uint32Array, at: number): number {
    const base = at * keyWords
    let slot = ((keys[base] as number) ^ (keys[base + 1] as number)) & this.#mask
    for (;;) {
      const known = this.#known[slot] as number
      if (known < 0 || areEqual(this.#keys, known, keys, at)) return slot
      slot = (slot + 1) & this.#mask
    }
  }
}

export function areEqual(some: Uint32Array, one: number, others: Uint32Array, other: number): boolean {
  const [a, b] = [one * keyWords, other * keyWords]
  return (
    some[a] === others[b] &&
    some[a + 1] === others[b + 1] &&
    some[a + 2] === others[b + 2] &&
    some[a + 3] === others[b + 3]
  )
}
