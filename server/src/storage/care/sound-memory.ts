import { BoundedMap } from '@nmp/formats/bounded-map'
import type { ObjectHead } from '../storage.ts'

/** What was read to its end and holds is not hashed again for so long, while its object is the same. */
const soundMilliseconds = 600_000
const rememberedKeys = 10_000

/** Which objects were seen whole a moment ago, by their keys and what the store tells them by. */
export class SoundMemory {
  readonly #seen = new BoundedMap<string, { etag: string; until: number }>(rememberedKeys)

  has({ key, etag }: ObjectHead): boolean {
    const seen = this.#seen.get(key)
    return seen?.etag === etag && seen.until > performance.now()
  }

  add({ key, etag }: ObjectHead): void {
    this.#seen.set(key, { etag, until: performance.now() + soundMilliseconds })
  }
}
